/* What formulas use beside counts, and occupancy by Little's law beside the counted. */
#ifndef ADVISOR_METRICS_GIVEN_H
#define ADVISOR_METRICS_GIVEN_H

#include "advisor/metrics/metrics_columns.h"

/*
 * line_bytes, vector_bits and cores: --cores, rows of that name in the counts, else the
 * profile (--machine, or this machine's), else this machine where the counts are its,
 * else for line_bytes the CPU table. What nobody knows is not given.
 */
int metrics_find_given(const struct settings *settings, struct metrics_column *column,
                       bool machine_here, struct error *err);

/* Are the definitions of the CPU that the CPU table calls so ("Zen 4 / 4c")? */
bool metrics_set_is_of(const struct metric_set *set, const char *microarchitecture);

/* column->little and latency_ns, or why not; after the column is evaluated. */
void metrics_find_little(struct metrics_column *column);

#endif
