/*
 * Which accesses of a stream miss, and where their lines come from. The stream has the
 * addresses, but is too short to say what the caches hold: how many lines of each array
 * come from where is known of the whole call (traffic). So of the accesses that touch a
 * line anew, as many miss as there are lines to come.
 */
#ifndef CORE_PIPELINE_MISSES_H
#define CORE_PIPELINE_MISSES_H

#include "core/pipeline/pipeline.h"

/* An array and what one call does to it. Lines a call; levels as in pipeline_access. */
struct pipeline_array {
    const char *name;
    uint64_t from, bytes;                /* where its memory lies */
    double accessed_bytes;               /* as the source accesses it */
    double lines[PIPELINE_LEVELS_MAX];   /* [k] brought to L1 from level k + 1, k >= 1 */
    double covered[PIPELINE_LEVELS_MAX]; /* of these */
};

struct pipeline_call {
    const struct pipeline_array *array;
    size_t array_nr;
    double instructions; /* 0 = not known */
    double page_walks, page_bytes;
};

/* How the accesses of one instruction lie. */
struct pipeline_pattern {
    int array;       /* the one that most of them go to, -1 = none that is known */
    double line_use; /* of the bytes of its lines that come to L1, the share that is
                        accessed; 0 = not known */
    double stride;   /* bytes from one access to the next, if that is nearly always the
                        same; NaN = it is not */
};

/* Fills `from`, `covered` and `walk` of all accesses. pattern[]: one for each
 * instruction. */
void pipeline_assign(const struct pipeline_stream *stream, struct pipeline_access *access,
                     size_t access_nr, const struct pipeline_call *call, int level_nr,
                     struct pipeline_pattern *pattern);

#endif
