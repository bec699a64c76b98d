/*
 * The C text around a kernel: the programs of templates/harness need a table of the
 * parameters and, in the kernel's own file, two functions that call it. Private to
 * variants.
 */
#ifndef VARIANTS_HARNESS_H
#define VARIANTS_HARNESS_H

#include "variants/kernel.h"

enum harness_role {
    HARNESS_REFERENCE, /* the untransformed kernel */
    HARNESS_VARIANT,
    HARNESS_TRACED /* a variant whose prefetches and copies are announced */
};

/* A file with the table. */
void harness_table(const struct kernel *kernel, struct buf *out);

/* `source`, which stands in the file `path`, with the calling functions behind it. */
void harness_unit(const struct kernel *kernel, const char *source, const char *path,
                  enum harness_role role, struct buf *out);

/* What a variant's library is called by in a pair, so that there can be two: functions
 * inflight_<side>_call, inflight_<side>_empty_call and inflight_<side>_global. */
void harness_side(const char *side, struct buf *out);
/* Macros that announce to the tracer what the compiler does not report. */
void harness_announcements(struct buf *out);

#endif
