/*
 * What changed from one version of a program to another, and what that says: the patterns
 * of rules/patterns.json (schema inflight.patterns/1, docs/rules.md) on ratios of
 * metrics. Pure.
 */
#ifndef ADVISOR_METRICS_PATTERNS_H
#define ADVISOR_METRICS_PATTERNS_H

#include "core/metrics/metrics.h"

/*
 * Adds to `said` a sentence for each pattern whose conditions hold for the whole
 * intervals of their values, with the numbers that fired it, what to do about it, and its
 * id in brackets; the judgement by Time first. Of metrics that are unknown nothing is
 * said. `old` NULL: only what `new` says alone. Of different CPUs (the names of the sets
 * differ) only what holds between CPUs is said.
 */
int metrics_patterns(const struct metric_question *old, const struct metric_question *new,
                     struct strvec *said, struct error *err);

#endif
