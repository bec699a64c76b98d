/* Which definitions a column is read by, and what stands beside its counts. */
#ifndef ADVISOR_METRICS_CPU_H
#define ADVISOR_METRICS_CPU_H

#include "advisor/metrics_columns.h"

/*
 * column->set for its runs: `--cpu` (one for all, or one a column between commas), else
 * `definition` (NULL = none), else the CPU that the counts are of, else this machine's
 * where its events are among the counts. Refused: counts of another CPU than named, with
 * both names. *here: they are taken to be this machine's.
 */
int metrics_choose_set(const struct metrics_report *report, const char *definition,
                       struct metrics_column *column, bool *here, struct error *err);

/* Whether --cpu has no names left when all columns have theirs. */
int metrics_check_cpus(const struct metrics_report *report, struct error *err);

/* The text of /proc/cpuinfo; "" where there is none. Caller frees. */
char *metrics_cpu_here(void);

#endif
