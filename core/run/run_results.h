/* The result file of the measuring program (docs/design.md, "Harness protocol"). Private
 * to core/run. */
#ifndef CORE_RUN_RUN_RESULTS_H
#define CORE_RUN_RUN_RESULTS_H

#include "core/base.h"

struct timed_sample {
    double seconds; /* per call */
    double calls;
    unsigned disturbed; /* enum run_disturbance bits */
    double waited_s;    /* of a call, for a processor */
    bool waits_inside;  /* `seconds` holds them; else they were taken out */
};

/* What one copy of one launch wrote. {0} is the valid empty one. */
struct copy_results {
    double buffer_bytes, warm_s;
    double huge_bytes;                                  /* negative = not told */
    double clock_step_s, call_overhead_s, empty_call_s; /* 0 = not told */
    char *flush; /* how caches were emptied for cold starts; NULL = they were not */
    double flush_warm_s, flush_cold_s; /* a walk in caches, and after they were emptied */
    struct timed_sample *sample;
    size_t sample_nr, sample_alloc;
    bool stopped; /* it was slower than asked for; the samples are those until then */
    char *drift;  /* "c nan"; NULL = none */
};
void copy_results_release(struct copy_results *results);

/*
 * Trusts nothing: the kernel under test had the process for itself. A file that is
 * missing, unfinished, or not exactly as the protocol says fails with a sentence. So do
 * more samples than `samples_max`, or samples that together last longer than the launch
 * did (`wall_s`). Caller releases in either case.
 */
int copy_results_read(const char *path, size_t samples_max, double wall_s,
                      struct copy_results *results, struct error *err);

#endif
