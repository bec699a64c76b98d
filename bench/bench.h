/* What the bench programs share: run inflight, read its report. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "core/base.h"

/* Runs `inflight` (INFLIGHT_PROGRAM) with the words and --json, its progress on our
 * stderr; keeps the report in build/bench/NAME.json. *seconds is the wall time. NULL with
 * a sentence on stderr when it fails. */
json_t *bench_report(const char *name, const char *const *words, double *seconds);

/* The same for a document of another schema. */
json_t *bench_document(const char *name, const char *schema, const char *const *words,
                       double *seconds);

/* "1.85 (1.80 to 1.91)" or "-". */
void bench_gain(const json_t *quantity, struct buf *out);

/* value of a quantity under a key, NaN when absent. */
double bench_value(const json_t *object, const char *key);

/* The utilization of one queue of a measurement, NaN when absent. */
double bench_utilization(const json_t *measurement, const char *resource);

const char *bench_text(const json_t *object, const char *key);

/* Names of the kernels of tests/kernels that have a loop to transform. */
int bench_kernels(struct strvec *names, struct error *err);

/* Has `inflight machine` make a profile in the file `path`, and reads it; the caller
 * releases it. NULL with a sentence on stderr. *seconds = how long that took. */
json_t *bench_profile(const char *path, bool quick, double *seconds);

#endif
