/* Private to core/metrics. */
#ifndef CORE_METRICS_METRIC_PARTS_H
#define CORE_METRICS_METRIC_PARTS_H

#include "core/base/formula.h"
#include "core/metrics/metrics.h"

/* Reads a file's members into the set, and those of the files that it includes behind
 * them. Nothing is looked up yet. */
int metric_fields_read(const struct json_at *at, struct metric_set *set,
                       struct error *err);

/* Checks every name that formulas ask for, puts metrics and constants in for theirs, and
 * makes the formulas of sums. */
int metric_links_make(struct metric_set *set, struct error *err);

/* A text that must be there, and hold something. Caller frees. */
int metric_text_at(const struct json_at *at, const char *key, char **out,
                   struct error *err);

/* What the name is: NULL = none of the set. */
const struct metric_event *metric_event_named(const struct metric_set *set,
                                              const char *name);
const struct metric_absent *metric_absent_find(const struct metric_set *set,
                                               const char *name);
const struct metric_constant *metric_constant_find(const struct metric_set *set,
                                                   const char *name);
bool metric_is_given(const char *name);
/* Of the given names, bytes through memory: by the formulas of the bandwidth. */
bool metric_is_of_memory(const char *name);
bool metric_asks_for_memory(const struct metric *metric);

/* "'WHAT' asks for 'X', which is no ..." where the formula asks for a name that the set
 * does not have. */
int metric_names_check(const struct metric_set *set, const char *what,
                       const struct formula *formula, struct error *err);

/* metric_checks.c: identities and warnings, read from one element each, */
int metric_identity_read(const struct json_at *at, struct metric_set *set,
                         struct error *err);
int metric_warning_read(const struct json_at *at, struct metric_set *set,
                        struct error *err);
/* their names checked, */
int metric_checks_names(const struct metric_set *set, struct error *err);
/* everything put in, as formula_inlined() does, */
void metric_checks_inline(struct metric_set *set,
                          const struct formula *(*stands_for)(void *data,
                                                              const char *name),
                          void *data);
/* evaluated, with a note for each that has something to say. */
void metric_checks_judge(const struct metric_set *set,
                         struct quantity (*value_of)(void *data,
                                                     const struct formula *formula),
                         void *data, struct metric_result *result);
void metric_identity_release(struct metric_identity *identity);
void metric_warning_release(struct metric_warning *warning);

/* Sums, ranges, shares of the whole and the way to the largest loss, once all values
 * stand. */
void metric_tree_judge(const struct metric_set *set,
                       struct quantity (*value_of)(void *data,
                                                   const struct formula *formula),
                       void *data, struct metric_result *result);

#endif
