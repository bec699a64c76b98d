/* A record of perf_event as the kernel writes it (perf_event_open(2)), taken apart. */
#ifndef CORE_OBSERVE_SAMPLE_DECODE_H
#define CORE_OBSERVE_SAMPLE_DECODE_H

#include <linux/perf_event.h>

#include "observe/sample/sample_fold.h"

/* What every sample and, behind it, every other record says. */
enum {
    SAMPLE_DECODE_FIELDS =
        PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME
};
enum { SAMPLE_RECORD_MAX = 65536 }; /* its size is 16 bits wide */

/* Of the second event on each processor; all others are the clock. */
struct sample_ids {
    uint64_t *miss;
    size_t miss_nr;
};

/* False for records that say nothing to us. Caller frees record->path. */
bool sample_decode(const struct perf_event_header *header, const struct sample_ids *ids,
                   struct sample_record *record);

#endif
