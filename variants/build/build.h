/*
 * Kernels and plans compiled: the toolchain, the identity of what is measured, programs
 * and libraries of variants, several at once.
 */
#ifndef VARIANTS_BUILD_BUILD_H
#define VARIANTS_BUILD_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/array.h"

struct error;

struct buf;
struct kernel;
struct plan;

struct variant_queue;

struct toolchain {
    char *compiler; /* as given: "gcc", "clang-19", a path */
    char *version;  /* first line of --version */
    bool is_clang;
    struct strvec flags;         /* optimisation flags; default -O3 -march=native */
    struct variant_queue *queue; /* NULL = build at once; else see below. Borrowed */
};
/*
 * A hash of all that a measurement of the bound kernel rests on, beside plan, machine and
 * program: the file as the compiler sees it after preprocessing (a changed header or -D
 * changes it, a comment does not), compiler, its version and flags, sizes, contents of
 * arrays (of file(PATH): what is in it), and what the user vouches for. Hex; caller
 * frees.
 */
int kernel_identity(const struct kernel *kernel, const struct toolchain *toolchain,
                    char **hex, struct error *err);
/* The files that the kernel's file includes, but those of the system: absolute paths,
 * with links resolved. */
int kernel_headers(const struct kernel *kernel, const struct toolchain *toolchain,
                   struct strvec *paths, struct error *err);
/* The macros that the compiler defines by itself at the kernel's flags, as it prints
 * them: what machine_isa reads. */
int kernel_macros(const struct kernel *kernel, const struct toolchain *toolchain,
                  struct buf *macros, struct error *err);
/* Finds and tries the compiler (compiles an empty function). STATUS_MISSING when it is
 * not there or does not work. flags NULL = default. */
int toolchain_find(const char *compiler, const struct strvec *flags,
                   struct toolchain *toolchain, struct error *err);
/* Compiles an empty function of C++, which kernels of C++ need. *compiler: its name
 * (caller frees). STATUS_MISSING when it is not there or does not work. */
int toolchain_try_cplusplus(const struct toolchain *toolchain, char **compiler,
                            struct error *err);
void toolchain_release(struct toolchain *toolchain);

/* ADDRESS: VERIFY under the address and undefined-behaviour sanitizers. THREADS: VERIFY
 * under the thread sanitizer. What they report is RUN_OUTCOME_CRASHED with the report's
 * first line; sizes where the original itself is reported are left out. */
enum variant_program {
    VARIANT_TIME,
    VARIANT_TRACE,
    VARIANT_VERIFY,
    VARIANT_ADDRESS,
    VARIANT_THREADS,
    VARIANT_PROGRAM_NR
};

/* Can programs of that kind be built and run? STATUS_MISSING with what the compiler, its
 * runtime or the system says: sanitizers may lack. Reused within `dir`. */
int toolchain_try(const struct toolchain *toolchain, enum variant_program what,
                  const char *dir, struct error *err);

/* Builds one program of kernel + plan in `dir`. *path: the program (caller frees). A
 * compiler that refuses is STATUS_FAILED with its first message. */
int variant_build(struct kernel *kernel, const struct plan *plan,
                  const struct toolchain *toolchain, enum variant_program what,
                  const char *dir, char **path, struct error *err);
/* The same from a C file that was emitted or written by somebody (same function name and
 * parameters): `source` is its path. */
int variant_build_file(struct kernel *kernel, const char *source,
                       const struct toolchain *toolchain, enum variant_program what,
                       const char *dir, char **path, struct error *err);

/*
 * Built ahead: with a copy of the toolchain that has a queue, variant_build and
 * variant_build_library write the C files and give the program's path, but only queue
 * what compiler and linker have to do; as many as processors may be used run beside.
 * variant_queue_build waits for all, and empties the queue. The same build without a
 * queue finds what is there; what a compiler refused (or could not end in time) it
 * reports without asking again. Interrupted, or short of memory, it leaves out what is
 * not complete: that is built when it is asked for. -1 only when nothing can be started.
 */
struct variant_queue *variant_queue_new(void);
void variant_queue_free(struct variant_queue *queue);
int variant_queue_build(struct variant_queue *queue, struct error *err);
size_t variant_queue_processors(void); /* this process may use; at least 1 */

/* One side of a pair: a plan, or a C file with the same function (`source`, then the plan
 * is not looked at). */
struct variant_side {
    const struct plan *plan;
    const char *source;
};
/* A variant as a shared object, with its own static and global data, for an arena. Built
 * like the programs; a compiler or linker that refuses is STATUS_FAILED. */
int variant_build_library(struct kernel *kernel, const struct variant_side *side,
                          const struct toolchain *toolchain, const char *dir, char **path,
                          struct error *err);
/* The VARIANT_VERIFY of such a library. */
int variant_build_verifier(struct kernel *kernel, const char *library,
                           const struct toolchain *toolchain, const char *dir,
                           char **path, struct error *err);
/* The program that holds the kernel's arrays and loads such libraries: core/run's arena.
 */
int variant_build_arena(struct kernel *kernel, const struct toolchain *toolchain,
                        const char *dir, char **path, struct error *err);

#endif
