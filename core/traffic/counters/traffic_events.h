/*
 * The figures of a call as events: names and meaning of what papi_export.c offers as
 * software-defined events, and how each is found in a struct traffic. tracer_export.c has
 * the same names for those that a tracing program knows itself. Private to the folder.
 */
#ifndef CORE_TRAFFIC_TRAFFIC_EVENTS_H
#define CORE_TRAFFIC_TRAFFIC_EVENTS_H

#include "core/traffic/traffic.h"

/* name without the library's, what it adds up (functions of traffic_events.c), the level
 * it needs (-1 = none), description */
#define TRAFFIC_EVENT_MAP(X)                                                             \
    X(ACCESSES, traffic->accesses, -1, "loads and stores issued")                        \
    X(BYTES, traffic->bytes, -1, "bytes that loads and stores asked for")                \
    X(STORES, traffic->stores, -1, "of the accesses, stores")                            \
    X(STORED_BYTES, traffic->stored_bytes, -1, "of the bytes, those stored")             \
    X(L1_HITS, edge(traffic, 0).hits, 0, "line lookups that L1 served")                  \
    X(L2_HITS, edge(traffic, 1).hits, 1, "line lookups that L2 served")                  \
    X(L3_HITS, edge(traffic, 2).hits, 2, "line lookups that L3 served")                  \
    X(L4_HITS, edge(traffic, 3).hits, 3, "line lookups that L4 served")                  \
    X(L1_FROM_L2, from(traffic, 1), -1, "lines brought into L1 that were in L2")         \
    X(L1_FROM_L3, from(traffic, 2), -1, "lines brought into L1 that were in L3")         \
    X(L1_FROM_L4, from(traffic, 3), -1, "lines brought into L1 that were in L4")         \
    X(L1_FROM_MEMORY, from_memory(traffic), -1,                                          \
      "lines brought into L1 that were in memory")                                       \
    X(L1_COVERED_MEMORY, covered_from_memory(traffic), -1,                               \
      "of the lines from memory, those a stream prefetcher would fetch ahead")           \
    X(L1_SOFTWARE, edge(traffic, 0).software, 0,                                         \
      "of the lines brought into L1, those begun by a software prefetch")                \
    X(L1_FILLS, edge(traffic, 0).fills, 0, "lines brought into L1")                      \
    X(L1_WRITEBACKS, edge(traffic, 0).writebacks, 0, "dirty lines leaving L1")           \
    X(L2_FILLS, edge(traffic, 1).fills, 1, "lines brought into L2")                      \
    X(L2_WRITEBACKS, edge(traffic, 1).writebacks, 1, "dirty lines leaving L2")           \
    X(L3_FILLS, edge(traffic, 2).fills, 2, "lines brought into L3")                      \
    X(L3_WRITEBACKS, edge(traffic, 2).writebacks, 2, "dirty lines leaving L3")           \
    X(L4_FILLS, edge(traffic, 3).fills, 3, "lines brought into L4")                      \
    X(L4_WRITEBACKS, edge(traffic, 3).writebacks, 3, "dirty lines leaving L4")           \
    X(MEMORY_FILLS, edge(traffic, traffic->level_nr - 1).fills, -1,                      \
      "lines read from memory")                                                          \
    X(MEMORY_WRITEBACKS, edge(traffic, traffic->level_nr - 1).writebacks, -1,            \
      "dirty lines written to memory")                                                   \
    X(MEMORY_COVERED, edge(traffic, traffic->level_nr - 1).covered, -1,                  \
      "of the lines read from memory, those a stream prefetcher would fetch ahead")      \
    X(NONTEMPORAL_LINES, traffic->nontemporal_lines, -1,                                 \
      "lines written past the caches")                                                   \
    X(PAGE_WALKS, traffic->page_walks, -1, "misses of the last TLB level")               \
    X(INSTRUCTIONS, traffic->instructions, -1, "instructions, counted or decoded")       \
    X(FLOPS, traffic->flops, -1, "floating-point operations, counted or decoded")        \
    X(DIVISIONS, traffic->divisions, -1, "of these, divisions and square roots")

enum traffic_event_id {
#define X(name, value, level, description) TRAFFIC_EVENT_##name,
    TRAFFIC_EVENT_MAP(X)
#undef X
        TRAFFIC_EVENT_NR
};

struct traffic_event {
    const char *name, *description;
    int level; /* of caches, 0 = L1: without it there is no such figure; -1 = always */
    struct quantity (*value)(const struct traffic *traffic);
};
extern const struct traffic_event traffic_events[TRAFFIC_EVENT_NR];

#endif
