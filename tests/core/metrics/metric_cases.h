/*
 * Cases of metrics as data, many in a file of tests/data/metrics, {"schema":
 * "inflight.metrics-cases/1", "cases": {NAME: CASE, ...}}: counts that were made from a
 * known distribution and what must come out of them.
 *
 *     {
 *       "about": "what the counts were made from",
 *       "metrics": "a64fx",                       the shipped definitions
 *       "given": {"line_bytes": 256},
 *       "counts": {"schema": "inflight.counts/1", "seconds": 1, "events": {...}},
 *       "values": {"IPC": 2, "L3_MR": null},      null = must be unknown
 *       "whole": {"Memory_Wait": 0.1},            shares of the whole model
 *       "path": ["Commit_0", "Memory_Bound"],     all of one model that is marked as
 *                                                 dominant, in the order of the file
 *       "out_of_range": ["Other_Wait"],
 *       "notes": ["below 20 %"],                  a part of each note, in order
 *       "tolerance": 1e-12                        relative, absolute below 1
 *     }
 *
 * What a case does not name in "notes" and "out_of_range" must not be there, and the sums
 * of all levels must hold.
 */
#ifndef TESTS_CORE_METRICS_METRIC_CASES_H
#define TESTS_CORE_METRICS_METRIC_CASES_H

#include "core/base/array.h"
#include "core/files/json.h"

/* The cases of tests/data/metrics/NAME.json; caller releases. */
json_t *metric_cases_read(const char *name);

/* Runs all of them and checks that there is one at least.
 * Names of metrics with a value in any of them, or unknown because the CPU has no such
 * thing, are pushed to `covered`. */
void metric_cases_run(const char *name, struct strvec *covered);

/* Every metric of the definitions that is in no model or in one of these (separated by
 * blanks, NULL = all) is among the covered ones. */
void metric_cases_cover(const char *definitions, const char *models,
                        const struct strvec *covered);

#endif
