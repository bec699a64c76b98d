/* Markers for `inflight profile` around the parts of a step, where the program is built
 * with REGIONS (see Makefile); else nothing. */
#ifndef MARKS_H
#define MARKS_H

#ifdef USE_INFLIGHT_REGIONS
#include <inflight.h>
#else
#define inflight_region_begin(name) ((void)0)
#define inflight_region_end(name)   ((void)0)
#define inflight_region_bytes(name, bytes_read, bytes_written)                           \
    ((void)(bytes_read), (void)(bytes_written))
#define inflight_region_access(name, random_share) ((void)0)
#endif

#endif
