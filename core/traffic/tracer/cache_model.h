/*
 * A simulator of cache levels, last-level TLB and the streams a hardware prefetcher would
 * follow, which charges what happens to parts (of the program; the caller's). Needs only
 * the C library: its source is compiled into every tracing program (tracer.h) and into
 * our library for tests.
 *
 * Rules:
 *  - Levels are set-associative with exact LRU, write-back, write-allocate. More than 16
 * ways are taken as 16 of the same capacity. The number of sets is any integer: set =
 * line mod sets. A `folded` level first mixes higher line bits into the lower ones (a
 * permutation, so that consecutive lines still spread evenly): the index hash of a sliced
 *    cache, or pages that lie anywhere in physical memory.
 *  - A line found in level f is filled into every level above it. What leaves a level
 * depends on the inclusion of the levels:
 *      CACHE_NON_INCLUSIVE touches no other level. A dirty victim goes one level down: it
 *    is marked dirty there without changing the LRU order, or inserted there without a
 *    read if it has gone.
 *      CACHE_INCLUSIVE takes the line out of all levels above; dirty data from there
 *    crosses every edge on its way down and counts as a write-back of each.
 *      CACHE_EXCLUSIVE is filled only by what the level above evicts, clean or dirty, as
 *    the most recent line; a line found there moves up, with its dirtiness. Clean
 *    victims are not counted. A prefetch that ends in such a level fills it. Not for L1.
 *  - `copies` of the program share a level, each with data of its own: whatever reaches
 * that level for a line X is done there for the lines X' of the other copies too, which
 * lie elsewhere in memory: all copies do the same at the same rate, in step. What they
 * move is not counted. More than CACHE_COPIES_MAX copies are taken as that many in the
 * same share of the level: each set then sees the same arrivals per way. Threads that
 * share data are not modelled: neither lines that one thread finds because another
 * brought them, nor lines taken away by another's store.
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
 *  - Charged are: to the part that accesses, its accesses, hits and the lines it fetches;
 * a line written back, or overwritten, to the part that first made it dirty in that
 * level; a line written past the caches to the part that began it.
 *  - `plain` is how two-level simulators such as valgrind's cachegrind count, for
 * comparison: a dirty victim that has gone from the level below passes on down and is not
 * inserted; an access that crosses a line is one lookup in each level it reaches, for
 * both lines, and one miss if either is missing.
 */
#ifndef CORE_TRAFFIC_CACHE_MODEL_H
#define CORE_TRAFFIC_CACHE_MODEL_H

#include "core/traffic/tracer/cache_level.h"
#include "core/traffic/tracer/cache_streams.h"

enum {
    CACHE_LEVELS_MAX = 4,
    CACHE_LINE_BUFFERS = 12, /* for non-temporal stores */
    CACHE_PARTS_MAX = 4096,
    CACHE_COPIES_MAX = 4, /* that are simulated one by one */
    CACHE_BESIDE_MAX = 2,
};

/* No address is near it. */
#define CACHE_NOWHERE (UINT64_MAX / 2)

enum cache_inclusion { CACHE_NON_INCLUSIVE, CACHE_INCLUSIVE, CACHE_EXCLUSIVE };

struct cache_geometry {
    int line_bytes; /* power of two, 16 .. 1024 */
    int level_nr;   /* 1 .. CACHE_LEVELS_MAX */
    struct {
        uint64_t bytes; /* rounded down to whole sets, at least one */
        int ways;       /* 0 = 8 */
        bool folded;
        enum cache_inclusion inclusion;
        int copies; /* that share `bytes`; 0 = 1 */
    } level[CACHE_LEVELS_MAX];
    uint64_t page_bytes; /* power of two; 0 = 4096 */
    int tlb_entries;     /* 0 = 1536, negative = none */
    int streams;         /* 0 = 16, negative = none, more than CACHE_STREAMS_MAX = that */
    bool overwritten; /* find lines whose read a CPU could evade; costs a little per store
                       */
    bool plain;
};

/* Lines per level; the edge below level k (0 = L1). name, also in the tracer's file */
#define CACHE_LEVEL_COUNT_MAP(X)                                                         \
    X(fills)      /* lines brought into the level */                                     \
    X(covered)    /* of the fills: a trained stream was ahead */                         \
    X(software)   /* of the fills: begun by a software prefetch */                       \
    X(writebacks) /* dirty lines that left downwards */                                  \
    X(l1_from) /* lines filled into L1 that were found in level k + 2; the last: memory  \
                */                                                                       \
    X(l1_covered) /* of these, covered */                                                \
    X(hits)       /* lookups of loads and stores that found the line in level k + 1 */

#define CACHE_COUNT_MAP(X)                                                               \
    X(accesses)                                                                          \
    X(bytes)                                                                             \
    X(stores)      /* of the accesses */                                                 \
    X(stored)      /* of the bytes */                                                    \
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
    uint32_t part;
};

enum cache_fetch {
    CACHE_DEMAND,
    CACHE_COVERED,
    CACHE_PREFETCH_L1,
    CACHE_PREFETCH_L2,
    CACHE_FETCH_NR
};

/* What happened on behalf of one part, as it is counted: fetched by kind and by where the
 * line was found (k = level k, level_nr = memory). */
struct cache_part {
    uint64_t loads, stores;
    struct cache_set *set; /* of L1, and the slot, where its last access was: a short cut
                              that is checked */
    uint64_t slot;
    uint64_t loaded, stored; /* bytes */
    uint64_t more;           /* lookups of accesses that cross lines, beyond one each */
    uint64_t past;           /* of the stores: past the caches */
    uint64_t nontemporal, walks, overwritten;
    uint64_t fetched[CACHE_FETCH_NR][CACHE_LEVELS_MAX + 1];
    uint64_t writebacks[CACHE_LEVELS_MAX];
    struct cache_set *page_set; /* of the TLB, where its last miss was */
    int page_way;
};

struct cache_model {
    /* Models that see the same accesses and differ from this one in the levels from
     * `own` on only (cache_model_init_beside()): those above, the TLB and the streams are
     * this one's. What happens in their own levels happens in step. */
    struct cache_model *beside[CACHE_BESIDE_MAX];
    int beside_nr;
    const struct cache_model *shared; /* whose levels above `own` are; NULL = none's */
    int own;                          /* the first level that is this model's own */
    uint64_t line_mask;               /* line_bytes - 1 */
    unsigned line_shift;
    /* Per slot of L1: the address of the line if a load, or a store, changes nothing but
     * its place in the LRU order; else CACHE_NOWHERE. */
    uint64_t *load_at, *store_at;
    uint64_t *written; /* per slot: granules of a line that may turn out overwritten */
    uint8_t *pending;  /* and in which model: bit 0 = this one, 2 << i = beside[i] */
    struct cache_level level[CACHE_LEVELS_MAX], tlb;
    enum cache_inclusion inclusion[CACHE_LEVELS_MAX];
    int copies[CACHE_LEVELS_MAX];
    int level_nr;
    unsigned page_shift; /* lines per page, log2 */
    bool has_tlb, overwritten, plain;
    bool coupled; /* levels act upon those above or are shared */
    struct cache_part *part;
    uint32_t part_nr; /* that may have counts */
    int streams_wanted;
    struct cache_streams streams;
    struct cache_line_buffer buffer[CACHE_LINE_BUFFERS];
    unsigned buffer_next, granule_shift;
    uint64_t granules_full;
};

/* 0, or -1 with *why = a sentence (constant). The model starts empty, with part 0 only.
 */
int cache_model_init(struct cache_model *model, const struct cache_geometry *geometry,
                     const char **why);
/*
 * One that sees whatever `model` sees from here on. Where both agree in at least the
 * first two levels, and no level acts upon one above, it costs little: it shares those
 * levels, nothing may be asked of it but its counts, dirty lines and capacity, and it is
 * emptied with `model`. Else it is an independent one, to be fed by the caller:
 * cache_model_is_beside() tells. `model` has to be empty, and to stay where it is.
 */
int cache_model_init_beside(struct cache_model *other, struct cache_model *model,
                            const struct cache_geometry *geometry, const char **why);
bool cache_model_is_beside(const struct cache_model *other);
void cache_model_release(struct cache_model *model);
/* As before the first access, but for the parts and what was counted. Dirty lines are
 * lost. */
void cache_model_empty(struct cache_model *model);
/* A new part, for the functions below; NULL = there are CACHE_PARTS_MAX. */
struct cache_part *cache_model_part(struct cache_model *model);

/* The line at address into L1 (level 0) or from L2 down (level 1). No access of the
 * program. */
void cache_model_prefetch(struct cache_model *model, struct cache_part *part,
                          uint64_t address, int level);
/* What an earlier call left in the last level (none if that is L1): its lines are put
 * there, clean. Nothing is counted. */
void cache_model_recall(struct cache_model *model, uint64_t address, uint64_t bytes);
void cache_model_nontemporal(struct cache_model *model, struct cache_part *part,
                             uint64_t address, uint64_t bytes);
/* Counts line buffers not yet full. To be called before the counts are read for the last
 * time. */
void cache_model_drain(struct cache_model *model);

/* All parts together, and one of them (its number = its place in model->part). */
struct cache_counts cache_model_counts(const struct cache_model *model);
struct cache_counts cache_part_counts(const struct cache_model *model, uint32_t part);
uint64_t cache_model_capacity(const struct cache_model *model,
                              int level); /* lines of one copy */
/* Dirty lines whose write-back across each edge is still to come; changes nothing.
 * by_part: the same for each of model->part_nr parts, or NULL. */
void cache_model_dirty(const struct cache_model *model, uint64_t left[CACHE_LEVELS_MAX],
                       uint64_t (*by_part)[CACHE_LEVELS_MAX]);

/* what - since, field by field. */
struct cache_counts cache_counts_since(const struct cache_counts *what,
                                       const struct cache_counts *since);

/* What the short cut below does not settle. */
void cache_model_access(struct cache_model *model, struct cache_part *part,
                        uint64_t address, uint64_t bytes, bool write);

/* The line in that slot of L1 is no longer there. */
static inline void cache_model_forget(struct cache_model *model, uint32_t slot)
{
    model->load_at[slot] = model->store_at[slot] = CACHE_NOWHERE;
}

/* Within the line that this part used last? Then that is all there is to it. */
static inline bool cache_model_quick(const struct cache_model *model,
                                     const struct cache_part *part, const uint64_t *at,
                                     uint64_t address, uint64_t bytes)
{
    uint64_t offset = address - at[part->slot];

    if ((offset | (offset + bytes - 1)) > model->line_mask)
        return false;
    cache_set_touch(part->set, part->slot % CACHE_WAYS_MAX);
    return true;
}

/* Any width, any alignment; every line touched is one lookup. */
static inline void cache_model_load(struct cache_model *model, struct cache_part *part,
                                    uint64_t address, uint64_t bytes)
{
    part->loads++;
    part->loaded += bytes;
    if (!cache_model_quick(model, part, model->load_at, address, bytes))
        cache_model_access(model, part, address, bytes, false);
}

static inline void cache_model_store(struct cache_model *model, struct cache_part *part,
                                     uint64_t address, uint64_t bytes)
{
    part->stores++;
    part->stored += bytes;
    if (!cache_model_quick(model, part, model->store_at, address, bytes))
        cache_model_access(model, part, address, bytes, true);
}

#endif
