/* What may set the pace of a loop: names that reports, rules and documents share. */
#ifndef CORE_PIPELINE_CAUSE_H
#define CORE_PIPELINE_CAUSE_H

/* name, word, phrase behind "bound by" */
#define CAUSE_MAP(X)                                                                     \
    X(UNKNOWN, "unknown", "something that was not found out")                            \
    X(DEPENDENT_LOADS, "dependent_loads", "the latency of dependent loads")              \
    X(RECURRENCE, "recurrence", "the latency of an arithmetic recurrence")               \
    X(SCHEDULER, "scheduler", "a full scheduler")                                        \
    X(LOAD_BUFFER, "load_buffer", "a full load buffer")                                  \
    X(REORDER_BUFFER, "reorder_buffer", "a full reorder buffer (ROB)")                   \
    X(BRANCHES, "branches", "mispredicted branches")                                     \
    X(STRIDED, "strided", "strided access")                                              \
    X(PAGE_WALKS, "page_walks", "page walks (TLB misses)")                               \
    X(L1_MSHRS, "l1_mshrs", "a full L1 miss queue (MSHRs)")                              \
    X(L2_MSHRS, "l2_mshrs", "a full L2 miss queue (MSHRs)")                              \
    X(L1_BANDWIDTH, "l1_bandwidth", "L1 bandwidth (load ports)")                         \
    X(L2_BANDWIDTH, "l2_bandwidth", "L2 bandwidth")                                      \
    X(L3_BANDWIDTH, "l3_bandwidth", "L3 bandwidth")                                      \
    X(MEMORY_BANDWIDTH, "memory_bandwidth", "memory bandwidth")                          \
    X(ISSUE_WIDTH, "issue_width", "issue width")                                         \
    X(ARITHMETIC, "arithmetic", "throughput of the execution units")                     \
    X(STORES, "stores", "store traffic")                                                 \
    X(FRONT_END, "front_end", "the front end (instruction fetch)")                       \
    X(PREFETCHER, "prefetcher", "the reach of the hardware prefetcher")

enum cause {
#define X(name, word, phrase) CAUSE_##name,
    CAUSE_MAP(X)
#undef X
        CAUSE_NR
};
const char *cause_word(enum cause cause);
const char *cause_phrase(enum cause cause);
enum cause cause_from_word(const char *word); /* CAUSE_NR = none */

#endif
