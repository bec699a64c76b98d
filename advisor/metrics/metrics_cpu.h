/* Which definitions a column is read by, and what stands beside its counts. */
#ifndef ADVISOR_METRICS_CPU_H
#define ADVISOR_METRICS_CPU_H

#include "advisor/metrics/metrics_columns.h"

/*
 * column->set for its runs: `--cpu` (one for all, or one a column between commas), else
 * `definition` (NULL = none), else the CPU that the counts are of, else this machine's
 * where its events are among the counts. Refused: counts of another CPU than named, with
 * both names. *here: they are taken to be this machine's.
 */
int metrics_choose_set(const struct metrics_report *report, const char *definition,
                       struct metrics_column *column, bool *here, struct error *err);

/* The shipped definitions of this machine's CPU; *set is NULL on failure, STATUS_MISSING
 * where there are none. */
int metrics_set_here(struct metric_set **set, struct error *err);

/* The shipped definitions of the kernel's own events, and whether some are counted. */
extern const char metrics_software[];
bool metrics_counts_software(const struct metrics_column *column);

/* Whether --cpu has no names left when all columns have theirs. */
int metrics_check_cpus(const struct metrics_report *report, struct error *err);

#endif
