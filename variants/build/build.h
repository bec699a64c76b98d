/* What programs are made of. Private to variants. */
#ifndef VARIANTS_BUILD_H
#define VARIANTS_BUILD_H

#include "variants/build/harness.h"

struct building {
    struct kernel *kernel;
    const struct toolchain *toolchain;
    const char *dir;
    const char *beside;   /* a file whose neighbours the variant may include; or NULL */
    const char *sanitize; /* flags */
    bool own_threads;     /* OpenMP by program_threads.c instead of the compiler's */
    bool in_library;      /* the kernel becomes a shared object of its own */
    bool is_parallel;     /* the kernel's file needs OpenMP */
    bool is_shared;       /* `dir` is that of all runs */
    char *templates;      /* the folder */
    struct strvec objects;
};

/* Each adds objects to building->objects, in the order that linkers want them in. */

/* A program of templates/harness, and the table of parameters. `headers`: what tells
 * versions of the headers below `root` apart. */
int build_threads(struct building *building, struct error *err);
#endif
