/* Running the compiler: one call, what it said, objects kept by the hash of what they are
 * made of. Private to variants. */
#ifndef VARIANTS_COMPILE_H
#define VARIANTS_COMPILE_H

#include "core/base/buf.h"
#include "core/process/spawn.h"
#include "variants/build/build.h"

struct error;

/* The toolchain's compiler for C or for C++. */
void push_compiler(const struct toolchain *toolchain, bool cplusplus,
                   struct strvec *argv);

/* Runs argv. STATUS_FAILED with the compiler's first error, behind `what`; STATUS_MISSING
 * when it is not there or the disk is full. `output` gets what it printed; may be NULL.
 */
int compiler_run(const struct strvec *argv, const char *what, struct buf *output,
                 struct error *err);

/* The parts of it: how the compiler is started when `at_once` of them share the free
 * memory, and what its end means. The request borrows argv. */
struct spawn_request compile_spawn(const struct strvec *argv, size_t at_once);
int compile_judge(const struct spawn_outcome *outcome, const char *compiler,
                  const char *what, struct error *err);

/*
 * The object file of `text` below `dir`: <stem>-<hash>.o. Reused if it is there; safe for
 * several processes at once. Caller frees *object.
 */
struct compile_request {
    const struct toolchain *toolchain;
    const char *dir, *stem, *text;
    const char *what; /* for messages: "the kernel" */
    const struct strvec *flags;
    bool lasting; /* `dir` outlives this run */
    bool is_cplusplus;
};
int compile_object(const struct compile_request *request, char **object,
                   struct error *err);

/* The folder for objects that depend on no kernel, so that the next run finds them too:
 * below the user's cache, or `other` where there is none that can be written. Caller
 * frees. */
char *compile_shared_dir(const char *other);
/* A C comment that names what the headers of a folder hold: objects that outlive a run
 * are told apart by it. Caller frees. */
char *compile_headers_note(const char *dir);

/* The same for a program of objects and flags. Caller frees *program. */
struct link_request {
    const struct toolchain *toolchain;
    const char *dir, *stem;
    const struct strvec *objects, *flags;
    bool is_cplusplus; /* one of the objects is */
};
int link_program(const struct link_request *request, char **program, struct error *err);

/* Flags of compiler and linker for a kind of program, "" = none. The sanitizers want
 * little optimisation: what the compiler removes is not looked at. */
const char *sanitizer_flags(enum variant_program what);

/* ---- compilers and linkers that run later, several at once ---- */

struct queued_command {
    const struct strvec *argv;
    const char *made, *path;    /* it writes `made`, which becomes `path` */
    const struct strvec *needs; /* files that must be there before; NULL = none */
    const char *what;           /* a static text for messages */
    bool lasting; /* `path` outlives this run: that it was refused is not noted */
};
/* Copies everything; what is queued for the same path already is left out. */
void compile_queue_add(struct variant_queue *queue, const struct queued_command *command);

/* Was the compiler asked for this file and refused? Then fails as it did. */
int compile_was_refused(const char *path, struct error *err);

#endif
