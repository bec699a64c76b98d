/*
 * Plans of one kernel, tried: each is checked, emitted, compiled by gcc and clang with
 * the address and the undefined-behaviour sanitizer, linked into one program per
 * compiler, and run against the untransformed kernel at small sizes. For bench/plans and
 * the suite variants_plans.
 */
#ifndef BENCH_PLAN_TRY_H
#define BENCH_PLAN_TRY_H

#include "variants/kernel/kernel.h"

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
    PLAN_ANNOUNCED, /* wrong where what it says that it rests on does not hold */
    PLAN_GOOD,
    PLAN_VERDICT_NR
};
const char *plan_verdict_word(enum plan_verdict verdict);

/* One plan and what became of it with each compiler. */
struct plan_try {
    char *plan, *refusal;   /* refusal: why it is illegal, of a forced one */
    char *rests;            /* what its legality rests on, a sentence a line */
    double check_s, emit_s; /* of the processor */
    bool blocks;            /* has steps that make register blocks */
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
    size_t build_nr;        /* forced plans: the first one alone shows what they do */
    struct plan_case *item; /* sizes at which the untransformed kernel is clean */
    size_t item_nr, item_alloc;
    struct strvec base[PLAN_BUILDS]; /* objects that all programs share */
    struct strvec objects[PLAN_BUILDS];
    struct plan_try *try;
    size_t try_nr, try_alloc;
};

/* Kernel FILE.c; `force` as in kernel_request. Builds what all plans share and finds the
 * sizes. `shared`: folder for what all kernels share; NULL = built for this one alone. */
int plan_bench_open(struct plan_bench *bench, const char *path, bool force,
                    const char *shared, struct error *err);
void plan_bench_release(struct plan_bench *bench);

/* 0: legal (or forced), emitted and compiled: bench->try has one more. -1: refused or not
 * applicable (err->status says which). `refusal`: see plan_try, may be NULL. */
int plan_bench_add(struct plan_bench *bench, const char *plan, const char *refusal,
                   struct error *err);
/* Links all that compiled, runs them, parallel ones that did well also under the thread
 * sanitizer, and fills in the verdicts. */
int plan_bench_run(struct plan_bench *bench, struct error *err);

/* For plan_own.c. Compiles `text` as STEM.c in the bench's folder; `said` gets what the
 * compiler printed. Caller frees *object. */
bool plan_compile(const struct plan_bench *bench, size_t build, const char *stem,
                  const char *text, const char *flags, char **object, struct buf *said,
                  struct error *err);
/* Runs argv. True when it ended well. */
bool plan_run_compiler(const struct strvec *argv, struct buf *said, struct error *err);
/* The worse of the two compilers. */
enum plan_verdict plan_try_worst(const struct plan_try *try);

#endif
