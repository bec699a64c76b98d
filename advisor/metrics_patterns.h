/*
 * What changed from one version of a program to another, and what that says: the patterns
 * of rules/metrics/patterns.json (schema inflight.patterns/1, docs/rules.md) on ratios of
 * metrics. Pure.
 */
#ifndef ADVISOR_METRICS_PATTERNS_H
#define ADVISOR_METRICS_PATTERNS_H

#include "core/metrics/metrics.h"

/*
 * Adds to `said` a sentence for each pattern whose conditions hold beyond the intervals
 * of their metrics, with the numbers that fired it and what to do about it; the judgement
 * by Time first. Nothing is said where metrics are unknown. The questions may be of
 * different CPUs: patterns that compare only versions are then left out.
 */
int metrics_patterns(const struct metric_question *old, const struct metric_question *new,
                     struct strvec *said, struct error *err);

#endif
