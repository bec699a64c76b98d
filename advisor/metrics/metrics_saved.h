/* What `inflight metrics --json` wrote (inflight.metrics-result/1), read again: the raw
 * counts, from which all is computed anew. */
#ifndef ADVISOR_METRICS_SAVED_H
#define ADVISOR_METRICS_SAVED_H

#include "advisor/metrics/metrics_columns.h"

struct metrics_saved_column {
    char *label, *definition; /* definition: the name, or the path of the user's own */
    char *sha256;             /* of the definitions then; NULL = not told */
    struct count_set *run;
    size_t run_nr;
    struct metric_given given[METRICS_GIVEN_MAX];
    size_t given_nr;
};
struct metrics_saved {
    struct metrics_saved_column *column;
    size_t nr;
};

/* *is_saved = false, and nothing else, for any other file. */
int metrics_saved_read(const char *path, struct metrics_saved *saved, bool *is_saved,
                       struct error *err);
void metrics_saved_release(struct metrics_saved *saved);
/* Notes in `now` where the definitions are no longer those of then. */
void metrics_saved_compare(const struct metrics_saved_column *then,
                           struct metrics_column *now);

/* Not one of the shipped files: it is found by its path only. */
bool metrics_definition_is_own(const struct metric_set *set);
/* SHA-256 of the definition file, of those that it includes, and of the kernel's events
 * where some of them were counted. Caller frees; NULL where one cannot be read. */
char *metrics_definition_hash(const struct metrics_column *column);

#endif
