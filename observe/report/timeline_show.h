/* A time line as text and JSON. */
#ifndef ADVISOR_TIMELINE_SHOW_H
#define ADVISOR_TIMELINE_SHOW_H

#include "observe/observe.h"

struct machine;

/* 79 columns; bars are ASCII unless `utf8`. */
void timeline_text(const struct timeline *timeline, bool utf8, struct buf *out);
/* inflight.timeline/1 */
json_t *timeline_json(const struct timeline *timeline);

/*
 * Where bytes through memory are on the time line: adds the misses in flight of a busy
 * core, the paper's eq. 2 (docs/internals/method.md), latency at the bandwidth of each
 * bin from the profile's curve; unknown where the curve ends, and where less than a tenth
 * of a core was busy. A time line without bytes is left as it is.
 */
void timeline_add_occupancy(struct timeline *timeline, const struct machine *machine);

#endif
