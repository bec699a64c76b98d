/*
 * The levels below L1, the TLB and the streams. Private to cache_model.c. Inline is what
 * most misses come to: levels that act upon no level above and are not shared.
 */
#ifndef CORE_TRAFFIC_CACHE_BELOW_H
#define CORE_TRAFFIC_CACHE_BELOW_H

#include "core/traffic/tracer/cache_model.h"

/* Sends a dirty line of level k down. */
void cache_below_write_back(struct cache_model *model, int k, uint64_t line,
                            uint16_t owner);
/* A clean line has left level k. */
void cache_below_victim(struct cache_model *model, int k, uint64_t line);

/* What L1 gets. */
struct cache_came {
    unsigned from_memory; /* as cache_fetch() gives it */
    bool dirty;
    uint16_t owner; /* if dirty */
};
/* Brings a line that is not in level `to` into it and those below, L1 excepted, whatever
 * the levels do to each other. */
struct cache_came cache_below_fetch(struct cache_model *model, struct cache_part *part,
                                    uint64_t line, int to, enum cache_fetch kind);
/* The same for a prefetch, from L2 on, unless the line is there or above. */
void cache_below_ahead(struct cache_model *model, struct cache_part *part, uint64_t line,
                       int to);
/* This line and the next one, as one lookup. */
void cache_below_pair(struct cache_model *model, struct cache_part *part, uint64_t line);
/* Has a line in the last level, unless that is L1. */
void cache_below_recall(struct cache_model *model, uint64_t line);
/* Takes a line out of all levels below L1. */
void cache_below_drop(struct cache_model *model, uint64_t line);

static inline void cache_translate(struct cache_model *model, struct cache_part *part,
                                   uint64_t line)
{
    uint64_t page = line >> model->page_shift;
    struct cache_set *set = part->page_set;
    int way = part->page_way;

    if (set->tag[way] != page) {
        set = cache_level_set(&model->tlb, page);
        way = cache_set_find(set, page, cache_sign(page));
    }
    if (way >= 0) {
        cache_set_touch(set, (unsigned)way);
    } else {
        way = (int)cache_set_oldest(set);
        cache_set_place(set, (unsigned)way, page, cache_sign(page));
        part->walks++;
    }
    part->page_set = set;
    part->page_way = way;
}

/* Puts a line that is not there into level k, clean. Gives its way. */
static inline unsigned cache_insert(struct cache_model *model, int k,
                                    struct cache_set *set, uint64_t line, uint8_t sign)
{
    unsigned way = cache_set_oldest(set);
    bool dirty = set->dirty >> way & 1;
    uint64_t old = set->tag[way];

    cache_set_place(set, way, line, sign);
    if (dirty)
        cache_below_write_back(model, k, old, set->owner[way]);
    return way;
}

/* The sets of a line; has the host fetch what a lookup reads. */
static inline void cache_below_sets(const struct cache_model *model, uint64_t line,
                                    struct cache_set *set[CACHE_LEVELS_MAX])
{
    for (int k = 1; k < model->level_nr; k++) {
        set[k] = cache_level_set(&model->level[k], line);
        __builtin_prefetch(set[k], 1);
    }
}

/* A stream will miss its next line soon: the host fetches the sets while the program uses
 * the present one. */
static inline void cache_below_await(const struct cache_model *model, uint64_t line)
{
    for (int k = 1; k < model->level_nr; k++)
        cache_set_await(cache_level_set(&model->level[k], line));
    for (int i = 0; i < model->beside_nr; i++)
        for (int k = model->beside[i]->own; k < model->level_nr; k++)
            cache_set_await(cache_level_set(&model->beside[i]->level[k], line));
}

/* cache_below_fetch() of a line that is in none of the levels that others share, for
 * these; to be called before it is put into those levels. Bits: 2 << i if it came from
 * memory in beside[i]. */
unsigned cache_below_beside(struct cache_model *model, uint64_t line, int found,
                            enum cache_fetch kind);

/* cache_below_fetch() of a line that L1 demands, in the usual case. Gives whether it came
 * from memory: bit 0, and those of cache_below_beside(). */
static inline unsigned cache_fetch(struct cache_model *model, struct cache_part *part,
                                   uint64_t line)
{
    enum cache_fetch kind = CACHE_DEMAND;
    struct cache_set *set[CACHE_LEVELS_MAX];
    uint8_t sign = cache_sign(line);
    unsigned beside = 0;
    int found = 1;

    cache_below_sets(model, line, set);
    if (model->has_tlb)
        cache_translate(model, part, line);
    if (model->streams.nr && cache_streams_miss(&model->streams, line)) {
        kind = CACHE_COVERED;
        cache_below_await(model, line + (uint64_t)model->streams.step);
    }
    for (; found < model->level_nr; found++) {
        int way = cache_set_find(set[found], line, sign);

        if (way >= 0) {
            cache_set_touch(set[found], (unsigned)way);
            break;
        }
    }
    part->fetched[kind][found]++;
    if (model->beside_nr)
        beside = cache_below_beside(model, line, found, kind);
    for (int k = found - 1; k > 0; k--)
        cache_insert(model, k, set[k], line, sign);
    return (found == model->level_nr) | beside;
}

#endif
