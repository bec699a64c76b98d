/*
 * A kernel: one function of a C or C++ file with its sizes and buffer contents. Opened,
 * bound, and transformed by plans to C again.
 */
#ifndef VARIANTS_KERNEL_KERNEL_H
#define VARIANTS_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/array.h"
#include "core/base/quantity.h"

struct error;

struct buf;
struct kernel_view;
struct plan;

struct kernel_request {
    const char *path; /* FILE.c */
    int line; /* the function that holds this line; 0 = by name or the only candidate */
    const char *function;   /* NULL = the one marked `#pragma inflight kernel`, else the
                               only function with a loop */
    struct strvec words;    /* pragma words from the command line: "set n = 4096", "buffer
                               key = index(m)", "assume ..." */
    struct strvec cflags;   /* -I, -D, -std ... for parsing and compiling (allow-listed by
                               the caller) */
    const char *flags_from; /* who says so, for reports; NULL = nobody */
    bool reassociate;       /* floating-point sums may be reordered */
    const char *inputs; /* where captured contents come from, for reports; else NULL */
    bool force; /* plans that are not legal are emitted all the same, and said to be so */
};

struct kernel; /* opaque */

/* Parses and models. Errors are located ("triad.c:12:7: ..."); a compile error shows the
 * compiler's own first message. Arguments that cannot be supplied fail kernel_bind. */
int kernel_open(const struct kernel_request *request, struct kernel **kernel,
                struct error *err);
void kernel_free(struct kernel *kernel);

/* Fixes sizes and contents: every scalar has a value, every buffer an extent. Fails
 * naming the pragma line to add. */
int kernel_bind(struct kernel *kernel, struct error *err);
/* Another size for one integer parameter (verification, sweeps); extents follow. */
int kernel_set(struct kernel *kernel, const char *param, long long value,
               struct error *err);

/*
 * Calls `use` with the kernel at smaller sizes: all parameters that decide on loops or
 * extents in proportion, the largest of them near `largest`, each with the remainder by
 * 64 (below 128 by 8) that it has now, so that loops unrolled or made of vectors keep the
 * rest they have. Those up to 16 stay. The sizes, and what kernel_view shows, are the old
 * ones again afterwards, whatever `use` returns. Fails (STATUS_INPUT) when there is no
 * such parameter or the sizes contradict the kernel's contents. With `largest` at or
 * above the bound sizes: at those.
 */
int kernel_at_size(struct kernel *kernel, long long largest,
                   int (*use)(struct kernel *kernel, void *data, struct error *err),
                   void *data, struct error *err);
/* The largest of the parameters that kernel_at_size varies; 0 = there is none. */
long long kernel_largest(const struct kernel *kernel);

/* About `share` of the rounds of outermost loops that go over the same elements again and
 * again, such as time steps: where one parameter, whose value only a call in the file
 * gives, says how many there are and nothing else. 32 stay. kernel_inputs_note says it.
 * Returns the share that is left; 1 = there is no such parameter. */
double kernel_shorten(struct kernel *kernel, double share);

const char *kernel_name(const struct kernel *kernel);
const char *kernel_path(const struct kernel *kernel);
int kernel_line(const struct kernel *kernel);
/* The name that linker and debugger know the function by: mangled in C++. */
const char *kernel_symbol(const struct kernel *kernel);
enum kernel_language { KERNEL_C, KERNEL_CPLUSPLUS };
enum kernel_language kernel_language(const struct kernel *kernel);
/* ".c" or ".cpp", for files with text of the kernel's file. */
const char *kernel_ending(const struct kernel *kernel);
const char *
kernel_hash(const struct kernel *kernel); /* of source text, words, flags: hex */

/* What the function's text means by things outside of it, such as macros: `use` in it is
 * `value` with the flags that it was read with. */
struct kernel_frozen {
    const char *name, *use, *value; /* name: for the reader */
};
/* False behind the last one. */
bool kernel_frozen(const struct kernel *kernel, size_t i, struct kernel_frozen *out);

/* 0 when `b` can be called with the arguments of `a` and their results compared;
 * STATUS_USAGE with what differs: number, kinds, order or elements of parameters, or the
 * result. Numbers may differ in width. */
int kernel_same_call(const struct kernel *a, const struct kernel *b, struct error *err);
/* The values of `from`, bound, as words "set n = 4096" for the parameters of `to` in the
 * same places (kernel_same_call). */
void kernel_same_sizes(const struct kernel *from, const struct kernel *to,
                       struct strvec *words);

/* For each transformation, in the order of transformations(), the plans that a person
 * would try first here: per loop, pair of loops or array where that matters. What is
 * legal of them kernel_check says. */
struct typical_plan {
    const char *transformation;
    char *plan;      /* NULL = there is nothing to use it on */
    const char *why; /* then: what it is for */
};
size_t typical_plans(const struct kernel_view *view, struct typical_plan **out);
void typical_plans_free(struct typical_plan *plans, size_t nr);

/* 0 = legal. STATUS_ILLEGAL with the dependence that forbids it (arrays, lines,
 * distance); STATUS_USAGE when it names no such loop or array (the message lists those
 * there are). `assumptions` (may be NULL) gets what legality rests on, a sentence a line.
 */
int kernel_check(struct kernel *kernel, const struct plan *plan, struct buf *assumptions,
                 struct error *err);
/* Fewer isl operations for each step of the plans that are checked from now on. */
void kernel_limit(struct kernel *kernel, unsigned long operations);

/* The transformed function as C: a whole file (the user's file with the nest replaced,
 * header comment `comment` on top), plain C that depends on nothing
 * of ours. */
int kernel_emit(struct kernel *kernel, const struct plan *plan, const char *comment,
                struct buf *out, struct error *err);

/* The same as model_emit_marked gives it, with lines KERNEL_RAN. */
#define KERNEL_RAN EMIT_RAN
int kernel_emit_marked(struct kernel *kernel, const struct plan *plan, struct buf *out,
                       struct error *err);

/* kernel_counts.chains of the transformed function; its text is written to `dir`. */
struct quantity variant_chains(struct kernel *kernel, const struct plan *plan,
                               const char *dir);

/* The harness arguments for the kernel's present sizes and contents (--set ...). */
void variant_args(const struct kernel *kernel, struct strvec *args);

#endif
