/*
 * One set-associative table of lines (or pages) with exact LRU. The tags stay where they
 * are; how recent each way is, says a nibble per way in `order`, the most recent one
 * lowest. In L1, where hits are many and replacements few, stamps say it instead: they
 * make no chain from one hit to the next. Needs only the C library; compiled with
 * cache_model.c. What every access passes through is inline.
 */
#ifndef CORE_TRAFFIC_CACHE_LEVEL_H
#define CORE_TRAFFIC_CACHE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_WAYS_MAX = 16 };
#define CACHE_NO_LINE UINT64_MAX
#define CACHE_NIBBLES UINT64_C(0x1111111111111111)
#define CACHE_BYTES   UINT64_C(0x0101010101010101)

struct cache_set {
    uint64_t order;
    uint64_t sign[2]; /* a byte per way, so that most lookups read no tag; 0xff = no such
                         way */
    uint16_t dirty, pending; /* bit per way; pending: may yet turn out overwritten */
};
struct cache_level {
    uint64_t *tag; /* `ways` per set */
    struct cache_set *set;
    uint64_t *stamp;           /* per tag: time << 4 | way; NULL = by order */
    uint64_t clock;            /* 16 times the time */
    uint64_t *written;         /* the owner's, per tag; may be NULL; freed by release */
    uint64_t magic;            /* 2^64 / sets, for the modulo */
    uint64_t nibbles;          /* mask of `order` */
    uint64_t fold_mask;        /* bits of the line that higher ones are mixed into */
    uint32_t set_nr, mask;     /* mask: sets - 1 if a power of two, else 0 */
    unsigned fold, ways, last; /* last: place of the least recent nibble */
};

enum cache_lru { CACHE_BY_ORDER, CACHE_BY_STAMP };

/* More than 16 ways are taken as 16 of the same capacity, 0 as 8. -1: too large or no
 * memory. */
int cache_level_init(struct cache_level *level, uint64_t lines, int ways, bool folded,
                     enum cache_lru lru);
void cache_level_release(struct cache_level *level);
/* Takes a line out; its way becomes the next to be recycled. */
void cache_level_drop(struct cache_level *level, uint64_t line);

static inline uint32_t cache_level_set(const struct cache_level *level, uint64_t line)
{
    uint64_t high = line >> level->fold;

    line ^= (high ^ high >> level->fold) & level->fold_mask;
    if (level->mask + 1 == level->set_nr)
        return (uint32_t)line & level->mask;
    return (uint32_t)((__uint128_t)(level->magic * (uint32_t)line) * level->set_nr >> 64);
}

/* A byte that tells lines of one set apart, most of the time; never 0xff. Eight times
 * over. */
static inline uint64_t cache_sign(uint64_t line)
{
    return (line * UINT64_C(0x9e3779b97f4a7c15) >> 57) * CACHE_BYTES;
}

/* The high bit of each byte that equals the sign; above the lowest such byte there may be
 * false ones. */
static inline uint64_t cache_same(uint64_t signs, uint64_t sign)
{
    uint64_t differs = signs ^ sign;

    return (differs - CACHE_BYTES) & ~differs & CACHE_BYTES << 7;
}

/* The way that holds the line, -1 = none. */
static inline int cache_level_find(const struct cache_level *level, uint32_t index,
                                   uint64_t line, uint64_t sign)
{
    const struct cache_set *set = &level->set[index];
    const uint64_t *tag = level->tag + (size_t)index * level->ways;
    uint64_t low = cache_same(set->sign[0], sign), high = cache_same(set->sign[1], sign);

    /* No branch between the halves: which one it is cannot be predicted. */
    while (low | high) {
        uint64_t half = low ? low : high;
        int way = (__builtin_ctzll(half) >> 3) + (low ? 0 : 8);

        if (tag[way] == line)
            return way;
        high = low ? high : high & (high - 1);
        low &= low - 1;
    }
    return -1;
}

/* Makes `way` the most recent one. */
static inline void cache_level_touch(struct cache_level *level, uint32_t index,
                                     unsigned way)
{
    uint64_t order = level->set[index].order, zero, same, below;
    unsigned at;

    if (level->stamp) {
        level->stamp[(size_t)index * level->ways + way] = (level->clock += 16) | way;
        return;
    }
    zero = order ^ way * CACHE_NIBBLES;
    same = (zero - CACHE_NIBBLES) & ~zero & CACHE_NIBBLES << 3;
    at = (unsigned)__builtin_ctzll(same) & ~3u;
    below = order & ((UINT64_C(1) << at) - 1);
    level->set[index].order = (order >> at >> 4 << 4 << at) | below << 4 | way;
}

/* The way to be used next. */
static inline unsigned cache_level_oldest(const struct cache_level *level, uint32_t index)
{
    const uint64_t *stamp = level->stamp;
    uint64_t oldest = UINT64_MAX;

    if (!stamp)
        return level->set[index].order >> level->last & 15;
    stamp += (size_t)index * level->ways;
    for (unsigned way = 0; way < level->ways; way++)
        oldest = stamp[way] < oldest ? stamp[way] : oldest;
    return oldest & 15;
}

/* Puts a line into that way and makes it the most recent one. */
static inline void cache_level_place(struct cache_level *level, uint32_t index,
                                     unsigned way, uint64_t line, uint64_t sign)
{
    struct cache_set *set = &level->set[index];
    uint64_t *signs = &set->sign[way >> 3], byte = UINT64_C(0xff) << 8 * (way & 7);

    level->tag[(size_t)index * level->ways + way] = line;
    *signs = (*signs & ~byte) | (sign & byte);
    if (level->stamp)
        level->stamp[(size_t)index * level->ways + way] = (level->clock += 16) | way;
    else
        set->order = (set->order << 4 | way) & level->nibbles;
}

#endif
