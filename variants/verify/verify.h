/* Are results of a variant those of the kernel as written? */
#ifndef VARIANTS_VERIFY_VERIFY_H
#define VARIANTS_VERIFY_VERIFY_H

#include "core/run/run.h"

struct error;

struct kernel;
struct strvec;
struct toolchain;

/* By how much floating-point results may differ: relative, by the type that they were
 * computed in, or absolute. */
struct tolerance {
    double relative_double, relative_float, absolute;
};

/* Of a program, unless another limit is given, seconds. */
#define VERIFY_LIMIT_S 60.0

struct verify_opts {
    double relative, absolute; /* of both types, as the user gave them; 0 = not given */
    double limit_s;            /* of each program, 0 = VERIFY_LIMIT_S */
    double end_s;              /* of clock_s(): programs are ended then, that of the small
                                  sizes sooner; 0 = by their limit only */
    double memory_limit_bytes; /* sizes that need more are skipped and said so; 0 = half
                                  of the memory */
    int cpu;
    bool small_only; /* leave the full size out */
    const char *scratch;
    const char *rests_on; /* kernel_check's assumptions of the plan: what they say is
                             tested at run time is tried; NULL = nothing */
    /* A folder that stays, for what the untransformed kernel made of the full size: it is
     * called once for all variants; NULL = it is called each time. */
    const char *kept;
    /* Small sizes at which the untransformed kernel was seen to fail, or not to end: left
     * out, and added to as they are found. The caller's; NULL = nobody remembers. */
    struct strvec *failing;
    /* What the program gave at the small sizes, when it was called with small_only: only
     * the full one is left; NULL = it was not. */
    const struct verify_report *small;
};
/* What is allowed then: one that is given holds for both types. */
struct tolerance verify_tolerance(const struct verify_opts *opts);

struct verify_report {
    enum run_outcome outcome; /* OK, WRONG_RESULT, CRASHED, TIMED_OUT ... */
    char *detail;             /* array, index, want, got, size; or what was skipped */
    double max_relative_error;
    struct tolerance tolerance; /* that was allowed */
    char *sizes;                /* "n=1, 2, 7, 63, 64, 65, 6000" */
};
void verify_report_release(struct verify_report *report);
/* Runs `program` (VARIANT_VERIFY: holds the untransformed kernel and the variant) at
 * several small sizes and the full one. */
int variant_verify(struct kernel *kernel, const char *program,
                   const struct verify_opts *opts, struct verify_report *report,
                   struct error *err);
/* What the kernel as written takes, with the contents that were kept; 0 = not known. */
struct verify_proof {
    double build_s; /* the variant and the original, and what compares them */
    double small_s; /* the program at all small sizes */
    double call_s;  /* a call of the full size, the first one of a process */
    double full_s;  /* the program with it, filling the arrays included */
};
/* The untransformed kernel against itself, plus a look at its results: UNVERIFIABLE when
 * it crashes, hangs or differs; STATUS_INPUT when results hold NaN, infinities or
 * denormals (names the array and the pragma that sets better contents), and do so with
 * the other contents that are tried where nobody said any (kernel_parts.h). */
int kernel_prove(struct kernel *kernel, const struct toolchain *toolchain,
                 const char *dir, const struct verify_opts *opts,
                 struct verify_proof *proof, struct error *err);

#endif
