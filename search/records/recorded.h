/* Answers from records: part of search.h, which includes it. */
#ifndef SEARCH_RECORDED_H
#define SEARCH_RECORDED_H

#include "search/search.h"

/* inflight.comparison/1, documented in docs/formats.md. */
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
/* What the runner answered to the last question for a comparison, with all it knows. */
const struct compared *recorded_last(const struct recorded *recorded);
/* Completes a comparison of which a, b, file and seconds are told; false = no record. */
bool recorded_comparison(struct recorded *recorded, struct compared *comparison);
/* For search_opts.skipped_s; belongs to `recorded`. */
const double *recorded_skipped_s(const struct recorded *recorded);

#endif
