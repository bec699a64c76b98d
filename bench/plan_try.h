/*
 * Plans of one kernel, tried: each is checked, emitted, compiled by gcc and clang with
 * the address and the undefined-behaviour sanitizer, linked into one program per
 * compiler, and run against the untransformed kernel at small sizes. For bench/plans and
 * the suite variants_plans.
 */
#ifndef BENCH_PLAN_TRY_H
#define BENCH_PLAN_TRY_H

#include "variants/kernel/kernel_parts.h"

struct buf;

/* The first two, with sanitizers, are of all plans; files with a `main` of their own are
 * built by the others too. */
enum { PLAN_SANITIZED = 2, PLAN_BUILDS = 4 };
extern const struct plan_build {
    const char *name, *compiler;
} plan_builds[PLAN_BUILDS];

/* Worst first. */
enum plan_verdict {
    PLAN_NO_COMPILE,
    PLAN_SANITIZER,
    PLAN_RACE,
    PLAN_CRASH,
    PLAN_TIMEOUT,
    PLAN_WRONG,
    PLAN_WARNING,
    PLAN_ANNOUNCED,   /* wrong where what it says that it rests on does not hold */
    PLAN_MISCOMPILED, /* right but for one compiler's vectorizer, see plan_own.c */
    PLAN_REFUSED,     /* not to be built with other flags than it was made with */
    PLAN_GOOD,
    PLAN_VERDICT_NR
};
const char *plan_verdict_word(enum plan_verdict verdict);

/* One plan and what became of it with each compiler. */
struct plan_try {
    char *plan;
    char *rests; /* what its legality rests on, a sentence a line */
    enum plan_verdict verdict[PLAN_BUILDS];
    char *detail[PLAN_BUILDS]; /* first message; NULL if good */
};

struct plan_case {
    struct strvec args; /* of the verifying program */
    char *text;         /* "n=3 m=37" */
    char *want;         /* what a main of its own prints */
    size_t first_build; /* the original is clean in this one and those after it */
};

struct plan_bench { /* {0} is the valid empty one */
    struct kernel *kernel;
    char *dir;
    const struct plan_file *own; /* the kernel's file has a `main`; NULL = it has none */
    size_t build_nr;
    struct plan_case *item; /* sizes at which the untransformed kernel is clean */
    size_t item_nr, item_alloc;
    struct strvec base[PLAN_BUILDS]; /* objects that all programs share */
    struct strvec objects[PLAN_BUILDS];
    struct plan_try *try;
    size_t try_nr, try_alloc;
};

/* Kernel FILE.c. Builds what all plans share and finds the sizes. `shared`: folder for
 * what all kernels share; NULL = built for this one alone. */
int plan_bench_open(struct plan_bench *bench, const char *path, const char *shared,
                    struct error *err);
void plan_bench_release(struct plan_bench *bench);

/* The same with a file that has a `main` of its own (under -DTEST), compiled by gcc and
 * clang with sanitizers and without: what it prints and how it ends must stay the same. A
 * bench->item is a call at which the original is clean and the same in all builds. */
struct plan_file {
    const char *path, *flags; /* flags: that it is compiled with */
    const char *other; /* and these, though the plan is made without them; NULL = none */
    bool reassociate, is_generated; /* generated: its main is that of kernel_call.h */
};
/* `file` must outlive the bench. */
int plan_own_open(struct plan_bench *bench, const struct plan_file *file,
                  struct error *err);

/* 0: legal, emitted and compiled: bench->try has one more. -1: refused or not applicable
 * (err->status says which). */
int plan_bench_add(struct plan_bench *bench, const char *plan, struct error *err);
/* Links all that compiled, runs them, parallel ones that did well also under the thread
 * sanitizer, and fills in the verdicts. */
int plan_bench_run(struct plan_bench *bench, struct error *err);
/* The worst of all builds. */
enum plan_verdict plan_try_worst(const struct plan_try *try);

/* ---- plans at random: of one kernel, from all steps of transformations() ---- */

struct plan_random {
    uint64_t state;
    const struct kernel *kernel;
};

/* The same plans for the same seed and kernel name, whatever else was drawn. */
struct plan_random plan_random_begin(const struct kernel *kernel, uint64_t seed);
/* A plan of one to four steps, in the grammar, legal or not. Caller frees. */
char *plan_random_next(struct plan_random *random);

/* ---- between the files ---- */

/* Compiles `text` as STEM.c in the bench's folder; `said` gets what the compiler printed.
 * Caller frees *object. */
bool plan_compile(const struct plan_bench *bench, size_t build, const char *stem,
                  const char *text, const char *flags, char **object, struct buf *output,
                  struct error *err);
/* Compiles the text that chooses the variant, and links all objects with it. Caller frees
 * *program. */
int plan_link(const struct plan_bench *bench, size_t build, const char *dispatcher,
              const char *flags, char **program, struct error *err);
/* Runs argv. True when it ended well. */
bool plan_run_compiler(const struct strvec *argv, struct buf *output, struct error *err);

/* What plan_bench_add and plan_bench_run do with a file that has a main. */
void plan_own_compile(struct plan_bench *bench, size_t number, const char *source);
int plan_own_run(struct plan_bench *bench, struct error *err);

/* Fills bench->item: sizes 0 (where arrays may be empty), 1, 2, 3, around block sizes,
 * primes, all alike and unlike; parameters that decide on no extent (time steps) from 0
 * to 3. Those at which the untransformed kernel is not clean or does much work are left
 * out. `program`: the verifying one of each compiler. */
int plan_cases_make(struct plan_bench *bench, char *const *program, struct error *err);
/* Runs variant number `variant` at all sizes and notes the verdict unless it is worse
 * already. */
int plan_case_run_all(struct plan_bench *bench, const char *program, size_t variant,
                      size_t compiler, struct error *err);
/* Runs a verifying program under a sanitizer at all sizes. *report: what was found in the
 * variant, or how its results differ; NULL = nothing. Caller frees. */
int plan_case_report(const struct plan_bench *bench, const char *program, char **report,
                     struct error *err);

#endif
