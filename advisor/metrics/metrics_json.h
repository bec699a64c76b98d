/* Metrics as a document (inflight.metrics-result/1), raw counts included. */
#ifndef ADVISOR_METRICS_JSON_H
#define ADVISOR_METRICS_JSON_H

#include "advisor/metrics/metrics_columns.h"

json_t *metrics_json(const struct metrics_report *report);

#endif
