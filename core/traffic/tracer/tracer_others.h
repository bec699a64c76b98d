/*
 * Further caches that see the accesses of the one that is traced: how far its sizes are
 * known decides on their number, and one run serves them all. They have the windows of
 * the main one. Private to the tracer.
 */
#ifndef CORE_TRAFFIC_TRACER_OTHERS_H
#define CORE_TRAFFIC_TRACER_OTHERS_H

#include <stdio.h>

#include "core/traffic/tracer/cache_model.h"

/* One more; -1 with *why. */
int tracer_others_add(const struct cache_geometry *geometry, const char **why);
void tracer_others_empty(void);
void tracer_others_drain(void);
/* tracer_parts_recall() for each. */
void tracer_others_recall(double lines_max);
/* Counting, or warming, begins. */
void tracer_others_base(void);
/* Warming has ended for this window; tracer_others_base() follows. */
void tracer_others_warm(int window);
void tracer_others_dirty(void); /* when counting begins */
/* `counting`: the window lies in the midst of the call, so that lines made dirty in it
 * are written back behind it. */
void tracer_others_take(int window, bool counting);
/* Behind a whole call from empty caches. */
void tracer_others_left(void);
/* "other I FIRST" and the same lines as of a window. */
void tracer_others_write(FILE *file, int window);

#endif
