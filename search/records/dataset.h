/* Recorded spaces. Part of search/search.h. */
#ifndef SEARCH_DATASET_H
#define SEARCH_DATASET_H

#include "search/session/subject.h"

/* ---- a space that was measured whole, as data ---- */

/* What a space is of. Borrowed. */
struct dataset_about {
    const char *name, *file;             /* function; file without its folder */
    const char *source;                  /* text of the file */
    const struct strvec *words, *cflags; /* as in struct kernel_request */
    const struct machine *machine;
    int cores;            /* loaded alike */
    const char *compiler; /* version */
    const struct strvec *flags;
};
/* inflight.space/1, without its "measurements": an array of inflight.measurement/1 that
 * the caller adds. Documented in docs/formats.md. */
json_t *dataset_json(const struct dataset_about *about);

/* One of its measurements: without what is computed anew from the rest. */
json_t *dataset_measurement_json(const struct measurement *measurement);

struct dataset_entry {
    const char *plan;
    struct quantity time_s; /* unknown when it did not run to its end */
    double cost_s;          /* as in struct measurement */
    bool explained;
};
struct dataset;
/* A file of this schema, compressed or not. Its kernel is read anew (libclang; nothing is
 * compiled). STATUS_INPUT with the place when it contradicts itself. */
int dataset_load(const char *path, struct dataset **out, struct error *err);
void dataset_free(struct dataset *dataset);
const char *dataset_name(const struct dataset *dataset);
/* The first is the kernel as written. */
const struct dataset_entry *dataset_entries(const struct dataset *dataset, size_t *nr);
/* Only what was measured is legal. */
struct search_subject dataset_subject(struct dataset *dataset);
/*
 * Answers from the records, and NOT_BUILT to all else. With a seed other than 0 times are
 * drawn anew with each answer, within the interval that was measured: log-normal; the
 * same questions in the same order get the same answers for one seed. Ratios have
 * intervals half as wide as two quick runs have: a comparison takes four launches.
 */
struct search_runner dataset_runner(struct dataset *dataset);
void dataset_seed(struct dataset *dataset, unsigned long long seed);

#endif
