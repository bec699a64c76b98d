/* Parts of a trace put together: by array, by line of the source. */
#ifndef CORE_TRAFFIC_TRACE_PARTS_H
#define CORE_TRAFFIC_TRACE_PARTS_H

#include "core/traffic/trace/trace_file.h"
#include "core/traffic/traffic.h"

struct trace_group {
    char *name;
    int line;
    struct trace_window *window; /* one per window of the file: counts and left only */
};

/* All arrays in the order of the file; those that are none, if any, behind them as
 * "other". None if the program announced no arrays. */
void trace_groups_by_array(const struct trace_file *file, struct trace_group **group,
                           size_t *nr);
/* "kernel.c:12"; places without a line together as "elsewhere", line 0. None if no place
 * has a line. */
void trace_groups_by_line(const struct trace_file *file, struct trace_group **group,
                          size_t *nr);
void trace_groups_free(struct trace_group *group, size_t nr);

/* Most lines through the edge below `level` first; then most accesses. */
void traffic_parts_sort(struct traffic_part *part, size_t nr, int level);

#endif
