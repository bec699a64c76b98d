/*
 * Did the program that ran hold this copy of a source file? A few lines behind the file
 * tell: before main they make a folder whose name says with what the file was compiled.
 * That holds for objects, libraries, shared and static programs alike, and needs neither
 * symbols nor debug information.
 */
#ifndef CORE_OBSERVE_APP_MARK_H
#define CORE_OBSERVE_APP_MARK_H

#include "core/base.h"

/* The C (and C++) text, to be appended to the file. `folder` is absolute. No header is
 * needed, no name of the file is touched, lines before it keep their numbers. */
void app_mark_text(const char *folder, struct buf *out);

/* Makes the folder, empty: before each run. */
int app_mark_reset(const char *folder, struct error *err);

/* Whether the marked file has run since; then also what it was compiled with, as the
 * compiler's own macros: "gcc-12", "__OPTIMIZE__", "__AVX2__", "_OPENMP" ... `facts` may
 * be NULL. */
bool app_mark_read(const char *folder, struct strvec *facts);

/* Those that are looked at; NULL behind the last. */
const char *app_mark_macro(size_t i);

#endif
