/*
 * One set-associative table of lines (or pages) with exact LRU. The tags stay where they
 * are; stamps, the time of each set by itself, say how recent each way is. Needs only the
 * C library; compiled with cache_model.c. What most accesses pass through is inline. All
 * of a set lies together: lookups that leave the caches of the machine that simulates are
 * what a model of large caches spends its time on.
 */
#ifndef CORE_TRAFFIC_CACHE_LEVEL_H
#define CORE_TRAFFIC_CACHE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { CACHE_WAYS_MAX = 16, CACHE_HOST_LINE = 64 };
#define CACHE_NO_LINE UINT64_MAX

struct cache_set {
    /* A byte of each way's line, so that most lookups read one tag or none. */
    _Alignas(CACHE_HOST_LINE) uint8_t sign[CACHE_WAYS_MAX];
    int16_t stamp[CACHE_WAYS_MAX]; /* when last used; 0 = to be recycled */
    int16_t clock;
    uint16_t dirty, pending; /* bit per way; pending: may yet turn out overwritten */
    _Alignas(CACHE_HOST_LINE) uint64_t tag[CACHE_WAYS_MAX]; /* lines */
    uint16_t owner[CACHE_WAYS_MAX]; /* of dirty ways: the part that made them so */
};
/* A slot, a place for a line: 16 times the index of its set, and its way. */
struct cache_level {
    struct cache_set *set;
    uint64_t magic;     /* 2^64 / sets, for the modulo */
    uint64_t fold_mask; /* bits of the line that higher ones are mixed into */
    uint32_t set_nr;
    bool is_power; /* the number of sets is a power of two */
    unsigned fold, ways;
};

/* More than 16 ways are taken as 16 of the same capacity, 0 as 8. -1: too large or no
 * memory. */
int cache_level_init(struct cache_level *level, uint64_t lines, int ways, bool folded);
void cache_level_release(struct cache_level *level);
void cache_level_empty(struct cache_level *level);
/* Takes the line of this way out; the way becomes the next to be recycled. */
void cache_set_drop(struct cache_set *set, unsigned way);
/* Starts the clock anew, with the order kept. */
void cache_set_rewind(struct cache_set *set);

static inline struct cache_set *cache_level_set(const struct cache_level *level,
                                                uint64_t line)
{
    if (level->fold) {
        uint64_t high = line >> level->fold;

        line ^= (high ^ high >> level->fold) & level->fold_mask;
    }
    if (level->is_power)
        return &level->set[(uint32_t)line & (level->set_nr - 1)];
    return &level
                ->set[(__uint128_t)(level->magic * (uint32_t)line) * level->set_nr >> 64];
}

static inline uint32_t cache_level_slot(const struct cache_level *level,
                                        const struct cache_set *set, unsigned way)
{
    return (uint32_t)(set - level->set) * CACHE_WAYS_MAX + way;
}

/* Tells lines of one set apart, most of the time; ways that do not exist have another. */
static inline uint8_t cache_sign(uint64_t line)
{
    return (uint8_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 57);
}

/* Has the host fetch a set, but for the owners. */
static inline void cache_set_await(const struct cache_set *set)
{
    __builtin_prefetch(set, 1);
    __builtin_prefetch(&set->tag[0], 1);
    __builtin_prefetch(&set->tag[CACHE_WAYS_MAX / 2], 1);
}

/* The ways that have this sign, as bits. */
static inline unsigned cache_set_signed(const struct cache_set *set, uint8_t sign)
{
#ifdef __SSE2__
    __m128i signs = _mm_load_si128((const __m128i *)(const void *)set->sign);

    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(signs, _mm_set1_epi8((char)sign)));
#else
    unsigned ways = 0;

    for (unsigned way = 0; way < CACHE_WAYS_MAX; way++)
        ways |= (unsigned)(set->sign[way] == sign) << way;
    return ways;
#endif
}

/* The way that holds the line, -1 = none. */
static inline int cache_set_find(const struct cache_set *set, uint64_t line, uint8_t sign)
{
    for (unsigned ways = cache_set_signed(set, sign); ways; ways &= ways - 1)
        if (set->tag[__builtin_ctz(ways)] == line)
            return __builtin_ctz(ways);
    return -1;
}

/* Marks a way dirty; who first made it so keeps it. */
static inline void cache_set_soil(struct cache_set *set, unsigned way, unsigned owner)
{
    if (!(set->dirty >> way & 1))
        set->owner[way] = (uint16_t)owner;
    set->dirty |= (uint16_t)(1u << way);
}

static inline void cache_set_stamp(struct cache_set *set, unsigned way)
{
    if (set->clock == INT16_MAX)
        cache_set_rewind(set);
    set->stamp[way] = ++set->clock;
}

/* Makes `way`, which holds a line, the most recent one. */
static inline void cache_set_touch(struct cache_set *set, unsigned way)
{
    if (set->stamp[way] != set->clock)
        cache_set_stamp(set, way);
}

/* The way to be used next. */
static inline unsigned cache_set_oldest(const struct cache_set *set)
{
#ifdef __SSE2__
    const __m128i *stamps = (const __m128i *)(const void *)set->stamp;
    __m128i low = _mm_load_si128(stamps), high = _mm_load_si128(stamps + 1);
    __m128i min = _mm_min_epi16(low, high);

    min = _mm_min_epi16(min, _mm_shuffle_epi32(min, 0x4e));
    min = _mm_min_epi16(min, _mm_shuffle_epi32(min, 0xb1));
    min = _mm_min_epi16(min,
                        _mm_or_si128(_mm_slli_epi32(min, 16), _mm_srli_epi32(min, 16)));
    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_cmpeq_epi16(low, min), _mm_cmpeq_epi16(high, min))));
#else
    unsigned oldest = 0;

    for (unsigned way = 1; way < CACHE_WAYS_MAX; way++)
        if (set->stamp[way] < set->stamp[oldest])
            oldest = way;
    return oldest;
#endif
}

/* Puts a line into that way, clean, and makes it the most recent one. */
static inline void cache_set_place(struct cache_set *set, unsigned way, uint64_t line,
                                   uint8_t sign)
{
    set->sign[way] = sign;
    set->tag[way] = line;
    set->dirty &= (uint16_t) ~(1u << way);
    set->pending &= (uint16_t) ~(1u << way);
    cache_set_stamp(set, way);
}

#endif
