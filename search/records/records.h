/* Answers from records: of sessions, and of spaces that were measured whole. */
#ifndef SEARCH_RECORDS_H
#define SEARCH_RECORDS_H

#include "core/base/quantity.h"
#include "core/files/json.h"

struct error;

struct compared;
struct machine;
struct measurement;
struct search_runner;
struct search_subject;
struct strvec;

/* inflight.comparison/1, documented in docs/internals/formats.md. */
json_t *comparison_to_json(const struct compared *comparison);
/* Plans are borrowed from the document. */
int comparison_from_json(const struct json_at *at, struct compared *out,
                         struct error *err);

/* ---- a runner in front of another that answers from recorded measurements first
 * (resume, replay) ---- */

struct recorded;
/* `behind` NULL: replay only; what is missing is NOT_BUILT, of several of one variant the
 * last rules, and ratios come from the recorded times. */
struct recorded *recorded_new(const struct search_runner *behind,
                              const struct search_subject *subject, int cores);
void recorded_free(struct recorded *recorded);
/* `document` is an inflight.measurement/1; kept by reference. Several of one variant
 * answer in this order: what was asked again is answered by the next one, then by the
 * runner behind. */
int recorded_add(struct recorded *recorded, json_t *document, struct error *err);
/* Where a record comes from; {0} is this session. */
struct recorded_source {
    bool reused;      /* another session measured it */
    long long origin; /* and its record is only there; 0 = this session has a copy */
};
/* The same, or an inflight.comparison/1. What is only in other sessions answers where
 * this one has nothing: comparisons when they took as long as is asked for. */
int recorded_add_from(struct recorded *recorded, json_t *document,
                      const struct recorded_source *source, struct error *err);
size_t recorded_nr(const struct recorded *recorded); /* different variants */
struct search_runner recorded_runner(struct recorded *recorded);
/* What measurements find out of the machine is found out again from their records: its
 * latency at that time. `machine` is the subject's. */
void recorded_adjusts(struct recorded *recorded, struct machine *machine);
/* What was measured at another time, or elsewhere, explained here if it can be; `machine`
 * (NULL = stays as it is) is the subject's, its latency that of then. */
int recorded_explain(struct measurement *measurement,
                     const struct search_subject *subject, struct machine *machine,
                     int cores, struct error *err);
/* What the runner answered to the last question for a comparison, with all it knows. */
const struct compared *recorded_last(const struct recorded *recorded);
/* Completes a comparison of which a, b, file and seconds are told; false = no record. */
bool recorded_comparison(struct recorded *recorded, struct compared *comparison);
/* For search_opts.skipped_s; belongs to `recorded`. */
const double *recorded_skipped_s(const struct recorded *recorded);

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
 * the caller adds. Documented in docs/internals/formats.md. */
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
