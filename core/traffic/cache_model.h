/*
 * A simulator of cache levels, last-level TLB and the streams a hardware prefetcher would
 * follow. Needs only the C library: its source is compiled into every tracing program
 * (tracer.h) and into our library for tests.
 *
 * Rules:
 *  - Levels are set-associative with exact LRU, write-back, write-allocate. More than 16
 * ways are taken as 16 of the same capacity. The number of sets is any integer: set =
 * line mod sets. A `folded` level first mixes higher line bits into the lower ones (a
 * permutation, so that consecutive lines still spread evenly): the index hash of a sliced
 *    cache, or pages that lie anywhere in physical memory.
 *  - A line found in level f is filled into every level above it (inclusive on the way
 * in). Evicting it from a level touches no other level (not inclusive on the way out). A
 * dirty victim goes one level down: it is marked dirty there without changing the LRU
 * order, or inserted there without a read if it has gone.
 *  - A store miss reads the line. If it came from memory and is overwritten entirely
 * while in L1 before any byte of it that was not written is read, it counts as
 * `overwritten`: a CPU may evade that read (store_read_factor). The levels above memory
 * count it in any case, since ownership of the line holds a miss entry too. Partial
 * granules (a line has 64) do not count as written.
 *  - Translation: the TLB (16 ways, folded, LRU) is asked on L1 misses; a hit in L1 is
 * taken as translated.
 *  - Streams a hardware prefetcher would follow are seen by L1 demand misses:
 * cache_streams.h.
 *  - Software prefetches fill like loads, into L1 or from L2 down, count as `software`,
 * never as `covered`, and train no stream.
 *  - Non-temporal stores collect in 12 line buffers; a line counts once when full, or
 * when its buffer is needed for another line. The line leaves all caches; what was dirty
 * there is taken as part of the line written.
 */
#ifndef CORE_TRAFFIC_CACHE_MODEL_H
#define CORE_TRAFFIC_CACHE_MODEL_H

#include "core/traffic/cache_level.h"
#include "core/traffic/cache_streams.h"

enum {
    CACHE_LEVELS_MAX = 4,
    CACHE_RECENT = 256,
    CACHE_RECENT_PAGES = 128,
    CACHE_LINE_BUFFERS = 12, /* for non-temporal stores */
};

struct cache_geometry {
    int line_bytes; /* power of two, 16 .. 1024 */
    int level_nr;   /* 1 .. CACHE_LEVELS_MAX */
    struct {
        uint64_t bytes; /* rounded down to whole sets, at least one */
        int ways;       /* 0 = 8 */
        bool folded;
    } level[CACHE_LEVELS_MAX];
    uint64_t page_bytes; /* power of two; 0 = 4096 */
    int tlb_entries;     /* 0 = 1536 */
    int streams;         /* 0 = 16, negative = none, more than CACHE_STREAMS_MAX = that */
    bool overwritten; /* find lines whose read a CPU could evade; costs a little per store
                       */
};

/* Lines per level; the edge below level k (0 = L1). name, also in the tracer's file */
#define CACHE_LEVEL_COUNT_MAP(X)                                                         \
    X(fills)      /* lines brought into the level */                                     \
    X(covered)    /* of the fills: a trained stream was ahead */                         \
    X(software)   /* of the fills: begun by a software prefetch */                       \
    X(writebacks) /* dirty lines that left downwards */                                  \
    X(l1_from) /* lines filled into L1 that were found in level k + 2; the last: memory  \
                */                                                                       \
    X(l1_covered) /* of these, covered */

#define CACHE_COUNT_MAP(X)                                                               \
    X(accesses)                                                                          \
    X(bytes)                                                                             \
    X(nontemporal) /* lines written past the caches */                                   \
    X(walks)       /* TLB misses */                                                      \
    X(overwritten) /* of the fills from memory: a CPU may evade the read */

struct cache_counts {
#define X(name) uint64_t name[CACHE_LEVELS_MAX];
    CACHE_LEVEL_COUNT_MAP(X)
#undef X
#define X(name) uint64_t name;
    CACHE_COUNT_MAP(X)
#undef X
};

struct cache_line_buffer {
    uint64_t line, written;
};

enum cache_fetch {
    CACHE_DEMAND,
    CACHE_COVERED,
    CACHE_PREFETCH_L1,
    CACHE_PREFETCH_L2,
    CACHE_FETCH_NR
};

/* What happened, as it is counted: by kind and by where the line was found (k = level k,
 * level_nr = memory). */
struct cache_events {
    uint64_t accesses, bytes, nontemporal, walks, overwritten;
    uint64_t fetched[CACHE_FETCH_NR][CACHE_LEVELS_MAX + 1];
    uint64_t writebacks[CACHE_LEVELS_MAX];
};

/* Where a line was in L1 when last seen: a short cut, checked against the tag. `quick`:
 * nothing but its place in the LRU order changes by 1 = a load, 2 = a load or store, 0 =
 * neither. */
struct cache_recent {
    uint64_t line;
    uint32_t slot; /* place of its tag */
    uint32_t quick;
};

struct cache_model {
    uint64_t load_line,
        store_line;     /* another load from / store to this line changes nothing */
    uint64_t line_mask; /* line_bytes - 1 */
    unsigned line_shift;
    struct cache_events events;
    struct cache_recent recent[CACHE_RECENT]; /* by hash of the line */
    struct cache_level level[CACHE_LEVELS_MAX], tlb;
    uint32_t recent_page[CACHE_RECENT_PAGES]; /* slots in the TLB, by sign */
    int level_nr;
    unsigned page_shift; /* lines per page, log2 */
    struct cache_streams streams;
    struct cache_line_buffer buffer[CACHE_LINE_BUFFERS];
    unsigned buffer_next, granule_shift;
    uint64_t granules_full;
    bool overwritten;
};

/* 0, or -1 with *why = a sentence (constant). The model starts empty. */
int cache_model_init(struct cache_model *model, const struct cache_geometry *geometry,
                     const char **why);
void cache_model_release(struct cache_model *model);

/* Any width, any alignment; every line touched is one lookup. */
void cache_model_load(struct cache_model *model, uint64_t address, uint64_t bytes);
void cache_model_store(struct cache_model *model, uint64_t address, uint64_t bytes);
/* The line at address into L1 (level 0) or from L2 down (level 1). No access of the
 * program. */
void cache_model_prefetch(struct cache_model *model, uint64_t address, int level);
void cache_model_nontemporal(struct cache_model *model, uint64_t address, uint64_t bytes);
/* Counts line buffers not yet full. To be called before the counts are read for the last
 * time. */
void cache_model_drain(struct cache_model *model);

struct cache_counts cache_model_counts(const struct cache_model *model);
uint64_t cache_model_capacity(const struct cache_model *model, int level); /* lines */
/* Dirty lines whose write-back across each edge is still to come; changes nothing. */
void cache_model_dirty(const struct cache_model *model, uint64_t left[CACHE_LEVELS_MAX]);

/* what - since, field by field. */
struct cache_counts cache_counts_since(const struct cache_counts *what,
                                       const struct cache_counts *since);

#endif
