/* The result file of the measuring program (docs/design.md, "Harness protocol"). Private
 * to core/run. */
#ifndef CORE_RUN_RUN_RESULTS_H
#define CORE_RUN_RUN_RESULTS_H

#include "core/base/base.h"

struct timed_sample {
    double seconds; /* per call */
    double calls;
};

/* What one copy of one launch wrote. {0} is the valid empty one. */
struct copy_results {
    double buffer_bytes, warm_s;
    double huge_bytes; /* negative = not told */
    struct timed_sample *sample;
    size_t sample_nr, sample_alloc;
    char *drift; /* "c nan"; NULL = none */
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
