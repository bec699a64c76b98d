/* A C file in which one function has another's name. */
#ifndef ADVISOR_RENAME_SOURCE_H
#define ADVISOR_RENAME_SOURCE_H

#include "core/base.h"

/* Appends the file with every identifier `from` as `to`; what was called `to` gets a name
 * of its own, both outside of literals and comments. Lines stay those of the file, also
 * for the compiler's messages, and "..." includes beside it are found. */
int rename_source(const char *path, const char *from, const char *to, struct buf *out,
                  struct error *err);

#endif
