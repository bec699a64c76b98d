/* Private to core/traffic: what the two forms of perf stat's output have in common. */
#ifndef CORE_TRAFFIC_COUNTS_PERF_H
#define CORE_TRAFFIC_COUNTS_PERF_H

#include "core/base/array.h"
#include "core/base/csv.h"
#include "core/traffic/counts/counts.h"

/* One row as text. NULL = the row does not say it. */
struct perf_row {
    const char *place; /* "CPU0", "S0", a thread */
    const char *value, *unit, *event;
    const char *percent;          /* of the time it counted */
    const char *variance;         /* standard error of a mean in percent */
    const char *metric, *measure; /* its figure beside it, with unit */
    double interval_s;            /* end of the row's interval; 0 = the whole run */
};
/* {0} and `lines` filled in is the valid empty one. */
struct perf_rows {
    struct csv_lines lines; /* where we are, for messages */
    struct count_sums sums;
    struct strvec place, repeated; /* that rows name; events that stand there twice */
    double interval_s, wall_ns, wall_error;
    double clock_ns, cpus, cpus_step; /* of task-clock: how many CPUs it kept busy */
    size_t clocks, lines_of_64;
};

#endif
