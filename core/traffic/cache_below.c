#include "core/traffic/cache_below.h"

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
}

static void clean_victim(struct cache_model *model, int k, uint64_t line)
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
        clean_victim(model, k, old);
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
static inline int look_up(struct cache_model *model, const struct cache_request *request,
                          int found, struct dirt *dirt)
{
    for (; found < model->level_nr; found++) {
        struct cache_set *set = request->set[found];
        int way = cache_set_find(set, request->line, cache_sign(request->line));

        if (way < 0)
            continue;
        if (model->inclusion[found] == CACHE_EXCLUSIVE) {
            *dirt = (struct dirt){set->dirty >> way & 1, set->owner[way]};
            cache_set_drop(set, (unsigned)way);
        } else {
            cache_set_touch(set, (unsigned)way);
        }
        break;
    }
    return found;
}

/* After a fetch, where levels are exclusive or shared: dirt that an exclusive level gave
 * away goes to the next level that was filled; other copies do the same. */
static __attribute__((noinline)) void fill_coupled(struct cache_model *model,
                                                   const struct cache_request *request,
                                                   int to, int found, struct dirt dirt)
{
    for (int k = found - 1; k >= to && k > 0; k--) {
        unsigned way;

        if (k != to && model->inclusion[k] == CACHE_EXCLUSIVE)
            continue;
        way = insert(model, k, request->set[k], request->line, cache_sign(request->line));
        if (dirt.is)
            cache_set_soil(request->set[k], way, dirt.owner);
        dirt.is = false;
    }
    for (int k = to > 0 ? to : 1; k < model->level_nr && k <= found; k++)
        mirror(model, k, request->line, k == to ? MIRROR_ARRIVED : MIRROR_FETCHED);
    model->came = (struct cache_came){dirt.is, dirt.owner, found == model->level_nr};
}

/* Brings a line that is not in level `to` into it and those below, L1 excepted. */
static inline void fetch(struct cache_model *model, const struct cache_request *request,
                         int to, enum cache_fetch kind)
{
    struct cache_part *part = &model->part[request->part];
    struct dirt dirt = {false, 0};
    int found;

    if (model->has_tlb)
        cache_translate(model, part, request->line);
    if (kind == CACHE_DEMAND && model->streams.nr &&
        cache_streams_miss(&model->streams, request->line))
        kind = CACHE_COVERED;
    found = look_up(model, request, to + 1, &dirt);
    part->fetched[kind][found]++;
    if (model->coupled) {
        fill_coupled(model, request, to, found, dirt);
        return;
    }
    for (int k = found - 1; k >= to && k > 0; k--)
        insert(model, k, request->set[k], request->line, cache_sign(request->line));
    if (model->overwritten && to == 0)
        model->from_memory[request->slot] = found == model->level_nr;
}

/* Both lines are asked for in each level that is reached, as if they were one. */
static void fetch_pair(struct cache_model *model, const struct cache_request *request)
{
    struct cache_part *part = &model->part[request->part];
    int found = 1;

    if (model->has_tlb)
        cache_translate(model, part, request->line);
    for (bool missed = true; found < model->level_nr; found++) {
        missed = false;
        for (uint64_t line = request->line; line <= request->line + 1; line++) {
            struct cache_set *set = cache_level_set(&model->level[found], line);
            int way = cache_set_find(set, line, cache_sign(line));

            if (way >= 0)
                cache_set_touch(set, (unsigned)way);
            else
                insert(model, found, set, line, cache_sign(line));
            missed |= way < 0;
        }
        if (!missed)
            break;
    }
    part->fetched[CACHE_DEMAND][found]++;
}

static void fetch_ahead(struct cache_model *model, const struct cache_request *request)
{
    int to = request->level;

    for (int k = 1; k <= to; k++)
        if (is_in(model, k, request->line))
            return;
    fetch(model, request, to, to == 0 ? CACHE_PREFETCH_L1 : CACHE_PREFETCH_L2);
}

static void drop(struct cache_model *model, uint64_t line)
{
    for (int k = 1; k < model->level_nr; k++) {
        struct cache_set *set = cache_level_set(&model->level[k], line);
        int way = cache_set_find(set, line, cache_sign(line));

        if (way >= 0)
            cache_set_drop(set, (unsigned)way);
        mirror(model, k, line, MIRROR_DROPPED);
    }
}

static void demand(struct cache_model *model, const struct cache_request *request)
{
    if (model->coupled)
        fetch(model, request, 0, CACHE_DEMAND);
    else
        model->from_memory[request->slot] =
            cache_fetch(model, &model->part[request->part], request->line,
                        request->set) == model->level_nr;
}

static void act(struct cache_model *model, const struct cache_request *request)
{
    switch ((enum cache_what)request->what) {
    case CACHE_FETCH:
        demand(model, request);
        break;
    case CACHE_FETCH_PAIR:
        fetch_pair(model, request);
        break;
    case CACHE_FETCH_AHEAD:
        fetch_ahead(model, request);
        break;
    case CACHE_VICTIM:
        cache_below_write_back(model, 0, request->line, request->part);
        break;
    case CACHE_VICTIM_CLEAN:
        clean_victim(model, 0, request->line);
        break;
    case CACHE_DROP:
        drop(model, request->line);
        break;
    case CACHE_OVERWRITTEN:
        model->part[request->part].overwritten += model->from_memory[request->slot];
    }
}

void cache_below_settle(struct cache_model *model)
{
    for (; model->done != model->asked; model->done++)
        act(model, &model->request[model->done % CACHE_BELOW]);
}

/* Has the host fetch what a request will touch. */
static inline void announce(const struct cache_model *model,
                            const struct cache_request *request)
{
    for (int k = 1; k < model->level_nr; k++) {
        __builtin_prefetch(request->set[k], 1);
        __builtin_prefetch(request->set[k]->tag);
        __builtin_prefetch(request->set[k]->tag + 8);
    }
}

void cache_below_ask(struct cache_model *model, enum cache_what what, uint64_t line,
                     uint32_t part, uint32_t slot, int level)
{
    struct cache_request *request = &model->request[model->asked % CACHE_BELOW];

    if (model->asked - model->done == CACHE_BELOW) {
        act(model, request);
        model->done++;
    }
    model->asked++;
    request->line = line;
    request->slot = slot;
    request->part = (uint16_t)part;
    request->what = (uint8_t)what;
    request->level = (uint8_t)level;
    if (what <= CACHE_FETCH_AHEAD) {
        cache_below_sets(model, line, request->set);
        announce(model, request);
    }
    if (!model->waits)
        cache_below_settle(model);
}
