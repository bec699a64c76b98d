/* Private to regions/: what else is known of a thread than the time. */
#ifndef REGIONS_MARK_COUNTS_H
#define REGIONS_MARK_COUNTS_H

#include <stdbool.h>

#include "regions/regions.h"

/* What the environment names is loaded, or written to: whether it is the user's or
 * root's, and nobody else may write there (a sticky folder is none where names are
 * taken). The group that the user is in first may, as with a umask of 002, but not
 * root's. */
bool inflight_marks_trust(const char *path);

/*
 * Loads PAPI (libpapi.so, or the file that $INFLIGHT_PAPI names) and finds the events of
 * `list`, which stand between commas. Fills event, event_nr and why of the header.
 */
void inflight_counters_start(struct regions_header *header, const char *list);
/* An event set that counts the calling thread; negative = none. */
int inflight_counters_join(void);
void inflight_counters_read(int set, uint64_t count[REGIONS_EVENTS_MAX]);
void inflight_counters_leave(int set);
/* Behind fork: PAPI's descriptors count the parent. */
void inflight_counters_forget(void);

/* Fills what the system knows of the process and of the thread. */
void inflight_counters_ask(struct regions_frame *frame);

#endif
