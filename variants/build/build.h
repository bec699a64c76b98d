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

/* The kernel of a text that stands in the file `path`. */
int build_kernel(struct building *building, const char *source, const char *path,
                 enum harness_role role, struct error *err);
/* The same as a library of its own: what the user's file defines beside the kernel is
 * there as often as there are variants, and each must get its own. */
int build_library(struct building *building, const char *source, const char *path,
                  enum harness_role role, struct error *err);
int build_reference(struct building *building, struct error *err);
/* A program of templates/harness, and the table of parameters. `headers`: what tells
 * versions of the headers below `root` apart. */
int build_harness(struct building *building, const char *file, const char *root,
                  const char *headers, struct error *err);
int build_threads(struct building *building, struct error *err);
int build_trace(struct building *building, const char *file, struct error *err);

/* The program or library of all objects. Caller frees *path. */
int build_link(const struct building *building, const char *stem, const char *more_flags,
               char **path, struct error *err);

#endif
