/*
 * The cache model once more, slow and written from its rules (cache_model.h,
 * cache_streams.h) in another way: lists searched from end to end, times instead of
 * orders.
 */
#ifndef TESTS_CORE_TRAFFIC_REFERENCE_MODEL_H
#define TESTS_CORE_TRAFFIC_REFERENCE_MODEL_H

#include "core/traffic/tracer/cache_model.h"

struct ref_line {
    uint64_t line, used; /* used: time, 0 = empty */
    bool dirty, pending;
    int owner;          /* part that made it dirty */
    bool written[1024]; /* bytes */
};

struct ref_level {
    struct ref_line *way; /* set_nr x way_nr */
    uint64_t set_nr, way_nr, fold;
    enum cache_inclusion inclusion;
};

enum { PARTS = 3 };

struct ref_page {
    uint64_t page, used;
    int at, step;
};

struct reference {
    const struct cache_geometry *geometry;
    struct ref_level level[CACHE_LEVELS_MAX], tlb;
    struct ref_page stream[CACHE_STREAMS_MAX], candidate[CACHE_CANDIDATES];
    uint64_t next_candidate, *time, line_bytes, own_time;
    struct ref_line buffer[CACHE_LINE_BUFFERS];
    uint64_t next_buffer;
    struct cache_counts counts[PARTS];
    int part; /* that accesses */
};

struct reference *reference_new(const struct cache_geometry *geometry);
void reference_free(struct reference *ref);
/* On behalf of ref->part. */
void reference_access(struct reference *ref, uint64_t address, uint64_t bytes,
                      bool write);
void reference_prefetch(struct reference *ref, uint64_t address, int level);
void reference_nontemporal(struct reference *ref, uint64_t address, uint64_t bytes);

uint64_t random_below(uint64_t *state, uint64_t below);

#define LEVEL(size, way_nr, is_folded, how)                                              \
    {                                                                                    \
        .bytes = (size), .ways = (way_nr), .folded = (is_folded),                        \
        .inclusion = CACHE_##how                                                         \
    }
#endif
