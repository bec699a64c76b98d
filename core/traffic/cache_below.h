/*
 * The levels below L1, the TLB and the streams. Private to cache_model.c. Inline is what
 * most misses come to: levels that act upon no level above and are not shared.
 */
#ifndef CORE_TRAFFIC_CACHE_BELOW_H
#define CORE_TRAFFIC_CACHE_BELOW_H

#include "core/traffic/cache_model.h"

enum cache_what {
    CACHE_FETCH,       /* into `slot` of L1, demanded */
    CACHE_FETCH_PAIR,  /* this line and the next one, as one lookup */
    CACHE_FETCH_AHEAD, /* into `level`, unless it is there or above, from L2 on */
    CACHE_VICTIM,      /* dirty, from L1 */
    CACHE_VICTIM_CLEAN,
    CACHE_DROP,        /* from all levels below L1 */
    CACHE_OVERWRITTEN, /* the line in `slot`, if it came from memory */
};

/* Done some requests later, or at once where the model does not wait. */
void cache_below_ask(struct cache_model *model, enum cache_what what, uint64_t line,
                     uint32_t part, uint32_t slot, int level);
/* Does all that was asked. */
void cache_below_settle(struct cache_model *model);
/* Sends a dirty line of level k down. */
void cache_below_write_back(struct cache_model *model, int k, uint64_t line,
                            uint16_t owner);

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

static inline void cache_below_sets(const struct cache_model *model, uint64_t line,
                                    struct cache_set *set[CACHE_LEVELS_MAX])
{
    for (int k = 1; k < model->level_nr; k++)
        set[k] = cache_level_set(&model->level[k], line);
}

/* Brings a line that L1 demands into the levels below. Gives where it was: level_nr =
 * memory. */
static inline int cache_fetch(struct cache_model *model, struct cache_part *part,
                              uint64_t line,
                              struct cache_set *const set[CACHE_LEVELS_MAX])
{
    enum cache_fetch kind = CACHE_DEMAND;
    uint8_t sign = cache_sign(line);
    int found = 1;

    if (model->has_tlb)
        cache_translate(model, part, line);
    if (model->streams.nr && cache_streams_miss(&model->streams, line))
        kind = CACHE_COVERED;
    for (; found < model->level_nr; found++) {
        int way = cache_set_find(set[found], line, sign);

        if (way >= 0) {
            cache_set_touch(set[found], (unsigned)way);
            break;
        }
    }
    part->fetched[kind][found]++;
    for (int k = found - 1; k > 0; k--)
        cache_insert(model, k, set[k], line, sign);
    return found;
}

#endif
