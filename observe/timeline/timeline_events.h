/* Which events a time line can show here: data/timeline_events.json says what they are
 * called and in which unit they are shown; each is tried before it is believed. */
#ifndef CORE_OBSERVE_TIMELINE_EVENTS_H
#define CORE_OBSERVE_TIMELINE_EVENTS_H

#include "core/base/array.h"
#include "observe/timeline/timeline_source.h"

struct error;

/* One that is known of, and whether it counts here. */
struct timeline_offer {
    struct timeline_wish wish;
    bool shown; /* unless the user names events */
    char *why;  /* it does not count here; NULL = it does */
};
struct timeline_offers {
    struct timeline_offer *offer;
    size_t nr, alloc;
    struct strvec note; /* about PAPI's components */
};

/*
 * `list`: names with commas between them (not within "pmu/a,b/"), "*" and "?" as in a
 * shell for those of PAPI's components; all must count here, else it fails saying which
 * one does not and why. NULL: all rows of the data, what does not count with its reason.
 */
int timeline_offers_find(const char *list, struct timeline_offers *offers,
                         struct error *err);
/* All that PAPI's components have besides, tried or not; for a list. */
void timeline_offers_add_papi(struct timeline_offers *offers);
void timeline_offers_release(struct timeline_offers *offers);

#endif
