/*
 * One set-associative table of lines (or pages) with exact LRU. The tags stay where they
 * are; how recent each way is, says a nibble per way in `order`, the most recent one
 * lowest. Needs only the C library; compiled with cache_model.c. What most accesses pass
 * through is inline. All of a set lies together: lookups that leave the caches of the
 * machine that simulates are what a model of large caches spends its time on.
 */
#ifndef CORE_TRAFFIC_CACHE_LEVEL_H
#define CORE_TRAFFIC_CACHE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_WAYS_MAX = 16, CACHE_SET_ALIGN = 64 };
#define CACHE_NO_LINE UINT64_MAX
#define CACHE_NIBBLES UINT64_C(0x1111111111111111)
#define CACHE_BYTES   UINT64_C(0x0101010101010101)

struct cache_set {
    _Alignas(CACHE_SET_ALIGN) uint64_t order;
    uint64_t sign[2]; /* a byte per way, so that most lookups read no tag; 0xff = no such
                         way */
    uint16_t dirty, pending; /* bit per way; pending: may yet turn out overwritten */
    uint16_t owner[CACHE_WAYS_MAX]; /* of dirty ways: the part that made them so */
    uint64_t tag[CACHE_WAYS_MAX];   /* lines */
};
/* A slot, a place for a line: 16 times the index of its set, and its way. */
struct cache_level {
    struct cache_set *set;
    uint64_t magic;     /* 2^64 / sets, for the modulo */
    uint64_t nibbles;   /* mask of `order` */
    uint64_t fold_mask; /* bits of the line that higher ones are mixed into */
    uint32_t set_nr;
    uint32_t mask; /* sets - 1 if a power of two and nothing is mixed, else 0 */
    unsigned fold, ways, last; /* last: place of the least recent nibble */
};

/* More than 16 ways are taken as 16 of the same capacity, 0 as 8. -1: too large or no
 * memory. */
int cache_level_init(struct cache_level *level, uint64_t lines, int ways, bool folded);
void cache_level_release(struct cache_level *level);
/* Takes the line of this way out; the way becomes the next to be recycled. */
void cache_level_drop(const struct cache_level *level, struct cache_set *set,
                      unsigned way);

static inline uint32_t cache_level_index(const struct cache_level *level, uint64_t line)
{
    uint64_t high;

    if (level->mask)
        return (uint32_t)line & level->mask;
    high = line >> level->fold;
    line ^= (high ^ high >> level->fold) & level->fold_mask;
    return (uint32_t)((__uint128_t)(level->magic * (uint32_t)line) * level->set_nr >> 64);
}

static inline struct cache_set *cache_level_set(const struct cache_level *level,
                                                uint64_t line)
{
    return &level->set[cache_level_index(level, line)];
}

static inline uint32_t cache_level_slot(const struct cache_level *level,
                                        const struct cache_set *set, unsigned way)
{
    return (uint32_t)(set - level->set) * CACHE_WAYS_MAX + way;
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
static inline int cache_set_find(const struct cache_set *set, uint64_t line,
                                 uint64_t sign)
{
    uint64_t low = cache_same(set->sign[0], sign), high = cache_same(set->sign[1], sign);

    /* No branch between the halves: which one it is cannot be predicted. */
    while (low | high) {
        uint64_t half = low ? low : high;
        int way = (__builtin_ctzll(half) >> 3) + (low ? 0 : 8);

        if (set->tag[way] == line)
            return way;
        high = low ? high : high & (high - 1);
        low &= low - 1;
    }
    return -1;
}

/* Marks a way dirty; who first made it so keeps it. */
static inline void cache_set_soil(struct cache_set *set, unsigned way, unsigned owner)
{
    if (!(set->dirty >> way & 1))
        set->owner[way] = (uint16_t)owner;
    set->dirty |= (uint16_t)(1u << way);
}

/* Makes `way` the most recent one. */
static inline void cache_set_touch(struct cache_set *set, unsigned way)
{
    uint64_t order = set->order, zero, same, below;
    unsigned at;

    if ((order & 15) == way)
        return;
    zero = order ^ way * CACHE_NIBBLES;
    same = (zero - CACHE_NIBBLES) & ~zero & CACHE_NIBBLES << 3;
    at = (unsigned)__builtin_ctzll(same) & ~3u;
    below = order & ((UINT64_C(1) << at) - 1);
    set->order = (order >> at >> 4 << 4 << at) | below << 4 | way;
}

/* The way to be used next. */
static inline unsigned cache_set_oldest(const struct cache_level *level,
                                        const struct cache_set *set)
{
    return set->order >> level->last & 15;
}

/* Puts a line into the oldest way, clean, and makes it the most recent one. */
static inline void cache_set_place(const struct cache_level *level, struct cache_set *set,
                                   unsigned way, uint64_t line, uint64_t sign)
{
    uint64_t *signs = &set->sign[way >> 3], byte = UINT64_C(0xff) << 8 * (way & 7);

    *signs = (*signs & ~byte) | (sign & byte);
    set->tag[way] = line;
    set->order = (set->order << 4 | way) & level->nibbles;
    set->dirty &= (uint16_t) ~(1u << way);
    set->pending &= (uint16_t) ~(1u << way);
}

#endif
