#include "core/traffic/tracer/cache_below.h"

/*
 * What leaves a level.
 */

static unsigned insert(struct cache_model *model, int k, struct cache_set *set,
                       uint64_t line, uint8_t sign);

struct dirt {
    bool is;
    uint16_t owner;
};

/*
 * Other copies. Their lines lie elsewhere, displaced by no multiple of anything, and are
 * told from ours by bits that no address of a program has. What they hold is clean: their
 * write-backs are not counted.
 */

enum { COPY_SHIFT = 56 };
static const uint64_t copy_distance = UINT64_C(0x9e3779b97f4a7c15) >> 32;

enum mirrored { MIRROR_FETCHED, MIRROR_ARRIVED, MIRROR_DROPPED };

static void mirror_one(struct cache_model *model, int k, uint64_t line,
                       enum mirrored what)
{
    struct cache_set *set = cache_level_set(&model->level[k], line);
    bool exclusive = model->inclusion[k] == CACHE_EXCLUSIVE;
    int way = cache_set_find(set, line, cache_sign(line));

    if (way < 0) {
        if (what == MIRROR_ARRIVED || (what == MIRROR_FETCHED && !exclusive))
            insert(model, k, set, line, cache_sign(line));
    } else if (what == MIRROR_DROPPED || (exclusive && what == MIRROR_FETCHED)) {
        cache_set_drop(set, (unsigned)way);
    } else if (exclusive || what == MIRROR_FETCHED) {
        cache_set_touch(set, (unsigned)way);
    }
}

static __attribute__((noinline)) void mirror_all(struct cache_model *model, int k,
                                                 uint64_t line, enum mirrored what)
{
    for (int i = 1; i < model->copies[k] && line >> COPY_SHIFT == 0; i++)
        mirror_one(model, k,
                   line + (uint64_t)i * copy_distance + ((uint64_t)i << COPY_SHIFT),
                   what);
}

/* What has been done in level k for `line` is done there for the other copies' lines. */
static inline void mirror(struct cache_model *model, int k, uint64_t line,
                          enum mirrored what)
{
    if (model->copies[k] > 1)
        mirror_all(model, k, line, what);
}

/* Takes a line that level k evicts out of the levels above; gives the dirt that came down
 * from there. */
static struct dirt take_back(struct cache_model *model, int k, uint64_t line)
{
    struct dirt dirt = {false, 0};

    for (int above = 0; above < k; above++) {
        const struct cache_level *level = &model->level[above];
        struct cache_set *set = cache_level_set(level, line);
        int way = cache_set_find(set, line, cache_sign(line));

        if (way >= 0) {
            if (set->dirty >> way & 1)
                dirt = (struct dirt){true, set->owner[way]};
            cache_set_drop(set, (unsigned)way);
            if (above == 0)
                cache_model_forget(model, cache_level_slot(level, set, (unsigned)way));
        }
        if (dirt.is)
            model->part[dirt.owner].writebacks[above]++;
    }
    return dirt;
}

/* A victim of the level above arrives in level k; in an exclusive one it becomes the most
 * recent line. */
static void take(struct cache_model *model, int k, uint64_t line, struct dirt dirt)
{
    struct cache_set *set = cache_level_set(&model->level[k], line);
    int way = cache_set_find(set, line, cache_sign(line));

    if (way < 0)
        way = (int)insert(model, k, set, line, cache_sign(line));
    else if (model->inclusion[k] == CACHE_EXCLUSIVE)
        cache_set_touch(set, (unsigned)way);
    if (dirt.is)
        cache_set_soil(set, (unsigned)way, dirt.owner);
    mirror(model, k, line, MIRROR_ARRIVED);
}

static bool is_in(const struct cache_model *model, int k, uint64_t line)
{
    return cache_set_find(cache_level_set(&model->level[k], line), line,
                          cache_sign(line)) >= 0;
}

void cache_below_write_back(struct cache_model *model, int k, uint64_t line,
                            uint16_t owner)
{
    for (;; k++) {
        model->part[owner].writebacks[k]++;
        if (k + 1 == model->level_nr)
            return;
        if (!model->plain || is_in(model, k + 1, line))
            break;
    }
    take(model, k + 1, line, (struct dirt){true, owner});
    for (int i = 0; i < model->beside_nr; i++)
        if (k + 1 == model->beside[i]->own)
            take(model->beside[i], k + 1, line, (struct dirt){true, 0});
}

void cache_below_victim(struct cache_model *model, int k, uint64_t line)
{
    if (k + 1 < model->level_nr && model->inclusion[k + 1] == CACHE_EXCLUSIVE)
        take(model, k + 1, line, (struct dirt){false, 0});
}

/* Where levels act upon each other. */
static void evict(struct cache_model *model, int k, uint64_t old, struct dirt dirt)
{
    if (model->inclusion[k] == CACHE_INCLUSIVE) {
        struct dirt above = take_back(model, k, old);

        dirt = dirt.is ? dirt : above;
    }
    if (dirt.is)
        cache_below_write_back(model, k, old, dirt.owner);
    else
        cache_below_victim(model, k, old);
}

/* As cache_insert(), whatever the levels do to each other. */
static inline unsigned insert(struct cache_model *model, int k, struct cache_set *set,
                              uint64_t line, uint8_t sign)
{
    unsigned way = cache_set_oldest(set);
    uint64_t old = set->tag[way];
    struct dirt dirt = {set->dirty >> way & 1, set->owner[way]};

    if (!model->coupled || old == CACHE_NO_LINE)
        return cache_insert(model, k, set, line, sign);
    cache_set_place(set, way, line, sign);
    evict(model, k, old, dirt);
    return way;
}

/*
 * What L1 asks for.
 */

/* Looks for a line in the levels from `found` on; gives where it is, level_nr = memory.
 * An exclusive level gives it away. */
static int look_up(struct cache_model *model, struct cache_set *const *set, uint64_t line,
                   int found, struct dirt *dirt)
{
    for (; found < model->level_nr; found++) {
        int way = cache_set_find(set[found], line, cache_sign(line));

        if (way < 0)
            continue;
        if (model->inclusion[found] == CACHE_EXCLUSIVE) {
            *dirt = (struct dirt){set[found]->dirty >> way & 1, set[found]->owner[way]};
            cache_set_drop(set[found], (unsigned)way);
        } else {
            cache_set_touch(set[found], (unsigned)way);
        }
        break;
    }
    return found;
}

/* Dirt that an exclusive level gave away goes to the first level that is filled. */
static void fill_levels(struct cache_model *model, struct cache_set *const *set,
                        uint64_t line, int to, int found, struct dirt *dirt)
{
    for (int k = found - 1; k >= to && k > 0; k--) {
        unsigned way;

        if (k != to && model->inclusion[k] == CACHE_EXCLUSIVE)
            continue;
        way = insert(model, k, set[k], line, cache_sign(line));
        if (dirt->is)
            cache_set_soil(set[k], way, dirt->owner);
        dirt->is = false;
    }
}

unsigned cache_below_beside(struct cache_model *model, uint64_t line, int found,
                            enum cache_fetch kind)
{
    unsigned from_memory = 0;

    for (int i = 0; i < model->beside_nr; i++) {
        struct cache_model *other = model->beside[i];
        struct cache_set *set[CACHE_LEVELS_MAX];
        struct dirt dirt = {false, 0};
        int there;

        if (found < other->own)
            continue;
        for (int k = other->own; k < other->level_nr; k++)
            set[k] = cache_level_set(&other->level[k], line);
        there = look_up(other, set, line, other->own, &dirt);
        other->part->fetched[kind][there]++;
        fill_levels(other, set, line, other->own, there, &dirt);
        from_memory |= there == other->level_nr ? 2u << i : 0;
    }
    return from_memory;
}

struct cache_came cache_below_fetch(struct cache_model *model, struct cache_part *part,
                                    uint64_t line, int to, enum cache_fetch kind)
{
    struct cache_set *set[CACHE_LEVELS_MAX];
    struct dirt dirt = {false, 0};
    unsigned beside;
    int found;

    cache_below_sets(model, line, set);
    if (model->has_tlb)
        cache_translate(model, part, line);
    if (kind == CACHE_DEMAND && cache_streams_miss(&model->streams, line))
        kind = CACHE_COVERED;
    found = look_up(model, set, line, to + 1, &dirt);
    part->fetched[kind][found]++;
    beside = cache_below_beside(model, line, found, kind);
    fill_levels(model, set, line, to, found, &dirt);
    for (int k = to > 0 ? to : 1; k < model->level_nr && k <= found; k++)
        mirror(model, k, line, k == to ? MIRROR_ARRIVED : MIRROR_FETCHED);
    return (struct cache_came){(found == model->level_nr) | beside, dirt.is, dirt.owner};
}

void cache_below_ahead(struct cache_model *model, struct cache_part *part, uint64_t line,
                       int to)
{
    for (int k = 1; k <= to; k++)
        if (is_in(model, k, line))
            return;
    cache_below_fetch(model, part, line, to, CACHE_PREFETCH_L2);
}

/* Whether both lines are in level k; brings what is missing. */
static bool pair_hits(struct cache_model *model, int k, uint64_t line)
{
    bool hits = true;

    for (uint64_t this = line; this <= line + 1; this ++) {
        struct cache_set *set = cache_level_set(&model->level[k], this);
        int way = cache_set_find(set, this, cache_sign(this));

        if (way >= 0)
            cache_set_touch(set, (unsigned)way);
        else
            insert(model, k, set, this, cache_sign(this));
        hits &= way >= 0;
    }
    return hits;
}

void cache_below_pair(struct cache_model *model, struct cache_part *part, uint64_t line)
{
    int found = 1;

    if (model->has_tlb)
        cache_translate(model, part, line);
    while (found < model->level_nr && !pair_hits(model, found, line))
        found++;
    part->fetched[CACHE_DEMAND][found]++;
}

void cache_below_recall(struct cache_model *model, uint64_t line)
{
    int last = model->level_nr - 1;

    if (last > 0 && !is_in(model, last, line))
        take(model, last, line, (struct dirt){false, 0});
}

void cache_below_drop(struct cache_model *model, uint64_t line)
{
    for (int i = 0; i < model->beside_nr; i++)
        cache_below_drop(model->beside[i], line);
    for (int k = model->own > 1 ? model->own : 1; k < model->level_nr; k++) {
        struct cache_set *set = cache_level_set(&model->level[k], line);
        int way = cache_set_find(set, line, cache_sign(line));

        if (way >= 0)
            cache_set_drop(set, (unsigned)way);
        mirror(model, k, line, MIRROR_DROPPED);
    }
}
