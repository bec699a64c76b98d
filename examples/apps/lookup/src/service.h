/* The service: takes what has come in during a tick, answers all of it, keeps count. */
#ifndef SERVICE_H
#define SERVICE_H

#include "histogram.h"
#include "table.h"
#include "trace.h"

struct service {
    struct table table;
    struct answer *answer; /* [batch] */
    long batch;            /* requests in a tick, at most */
    uint64_t tick;
    /* what it did */
    uint64_t hits, misses, updates;
    uint64_t wrong;    /* answers that are not what was stored */
    uint64_t checksum; /* of all answers, in their order */
    double lookup_s, rest_s;
    struct histogram batch_ns;
};

/* An empty service for so many entries. */
void service_start(struct service *service, long entries, double load, long batch);
void service_release(struct service *service);

/* Stores the entries of ranks 0 .. entries - 1. A share of a quarter expires within the
 * next `ticks` ticks. */
void service_fill(struct service *service, long entries, long ticks);

/* One tick: n requests, at most a batch. Every 64th entry that is found is updated. */
void service_tick(struct service *service, const uint64_t *key, long n);

#endif
