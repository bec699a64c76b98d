/* A time line as text, JSON and a picture. */
#ifndef ADVISOR_TIMELINE_SHOW_H
#define ADVISOR_TIMELINE_SHOW_H

#include "advisor/plot/plot.h"
#include "observe/observe.h"

struct error;
struct machine;

/* 79 columns; bars are ASCII unless `utf8`. */
void timeline_text(const struct timeline *timeline, bool utf8, struct buf *out);
/* inflight.timeline/1 */
json_t *timeline_json(const struct timeline *timeline);
/* Fills the picture: a panel for each event over one axis of time. Fails when there is
 * nothing to draw. */
int timeline_plot(const struct timeline *timeline, struct plot *plot, struct error *err);

/* The unit beside the label, "" where that ends with it: "busy cores". Borrowed. */
const char *timeline_unit(const struct timeline_event *event);
/* All known values are 0, or none is known. */
bool timeline_is_silent(const struct timeline_event *event, size_t bin_nr);

/*
 * Where bytes through memory are on the time line: adds the misses in flight of a busy
 * core, the paper's eq. 2 (docs/internals/method.md), latency at the bandwidth of each
 * bin from the profile's curve; unknown where the curve ends, and where less than a tenth
 * of a core was busy. A time line without bytes is left as it is.
 */
void timeline_add_occupancy(struct timeline *timeline, const struct machine *machine);

#endif
