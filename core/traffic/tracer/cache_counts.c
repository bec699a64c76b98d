/* Reading a cache model: what was counted, what is dirty. */
#include "core/traffic/tracer/cache_model.h"

/* Lines found at `found` were filled into level k above it; prefetches to L2 not into L1.
 */
static void add_fetched(struct cache_counts *counts, const struct cache_part *part, int k,
                        int found)
{
    uint64_t software = part->fetched[CACHE_PREFETCH_L1][found];

    if (k > 0)
        software += part->fetched[CACHE_PREFETCH_L2][found];
    counts->covered[k] += part->fetched[CACHE_COVERED][found];
    counts->software[k] += software;
    counts->fills[k] += part->fetched[CACHE_DEMAND][found] +
                        part->fetched[CACHE_COVERED][found] + software;
}

static uint64_t demanded(const struct cache_part *part, int found)
{
    return part->fetched[CACHE_DEMAND][found] + part->fetched[CACHE_COVERED][found];
}

static void add_level(struct cache_counts *counts, const struct cache_part *part, int k,
                      int level_nr)
{
    counts->writebacks[k] += part->writebacks[k];
    for (int found = k + 1; found <= level_nr; found++)
        add_fetched(counts, part, k, found);
    counts->l1_from[k] += demanded(part, k + 1) + part->fetched[CACHE_PREFETCH_L1][k + 1];
    counts->l1_covered[k] += part->fetched[CACHE_COVERED][k + 1];
    counts->hits[k] += k > 0 ? demanded(part, k) : 0;
    counts->hits[0] -= demanded(part, k + 1);
}

static void add_part(struct cache_counts *counts, const struct cache_part *part,
                     int level_nr)
{
    counts->accesses += part->loads + part->stores;
    counts->bytes += part->loaded + part->stored;
    counts->stores += part->stores;
    counts->stored += part->stored;
    counts->nontemporal += part->nontemporal;
    counts->walks += part->walks;
    counts->overwritten += part->overwritten;
    counts->hits[0] += part->loads + part->stores + part->more - part->past;
    for (int k = 0; k < level_nr; k++)
        add_level(counts, part, k, level_nr);
}

/* What the shared levels counted, seen with the other's own ones below. */
static struct cache_part with_own(const struct cache_part *part,
                                  const struct cache_model *other)
{
    struct cache_part seen = *part;

    for (int kind = 0; kind < CACHE_FETCH_NR; kind++)
        for (int k = other->own; k <= CACHE_LEVELS_MAX; k++)
            seen.fetched[kind][k] = 0;
    for (int k = other->own; k < CACHE_LEVELS_MAX; k++)
        seen.writebacks[k] = 0;
    seen.overwritten = 0;
    return seen;
}

static struct cache_counts counts_beside(const struct cache_model *other)
{
    struct cache_counts counts = {0};

    for (uint32_t i = 0; i < other->shared->part_nr; i++) {
        struct cache_part seen = with_own(&other->shared->part[i], other);

        add_part(&counts, &seen, other->level_nr);
    }
    add_part(&counts, other->part, other->level_nr);
    return counts;
}

struct cache_counts cache_model_counts(const struct cache_model *model)
{
    struct cache_counts counts = {0};

    if (cache_model_is_beside(model))
        return counts_beside(model);
    for (uint32_t i = 0; i < model->part_nr; i++)
        add_part(&counts, &model->part[i], model->level_nr);
    return counts;
}

struct cache_counts cache_part_counts(const struct cache_model *model, uint32_t part)
{
    struct cache_counts counts = {0};

    add_part(&counts, &model->part[part], model->level_nr);
    return counts;
}

uint64_t cache_model_capacity(const struct cache_model *model, int level)
{
    return (uint64_t)model->level[level].set_nr * model->level[level].ways /
           (uint64_t)model->copies[level];
}

static bool dirty_in(const struct cache_level *level, uint64_t line)
{
    const struct cache_set *set = cache_level_set(level, line);
    int way = cache_set_find(set, line, cache_sign(line));

    return way >= 0 && set->dirty >> way & 1;
}

/* A line that is dirty in level k and in no level above. */
static bool dirty_first_at(const struct cache_model *model, int k,
                           const struct cache_set *set, unsigned way)
{
    if (!(set->dirty >> way & 1))
        return false;
    for (int above = 0; above < k; above++)
        if (dirty_in(&model->level[above], set->tag[way]))
            return false;
    return true;
}

/* It will cross every edge from k down. */
static void add_left(const struct cache_model *model, int k, uint16_t owner,
                     uint64_t left[CACHE_LEVELS_MAX],
                     uint64_t (*by_part)[CACHE_LEVELS_MAX])
{
    for (int edge = k; edge < model->level_nr; edge++) {
        left[edge]++;
        if (by_part)
            by_part[owner][edge]++;
    }
}

void cache_model_dirty(const struct cache_model *model, uint64_t left[CACHE_LEVELS_MAX],
                       uint64_t (*by_part)[CACHE_LEVELS_MAX])
{
    for (int k = 0; k < CACHE_LEVELS_MAX; k++)
        left[k] = 0;
    for (uint32_t i = 0; by_part && i < model->part_nr; i++)
        for (int k = 0; k < CACHE_LEVELS_MAX; k++)
            by_part[i][k] = 0;
    for (int k = 0; k < model->level_nr; k++)
        for (uint32_t i = 0; i < model->level[k].set_nr; i++)
            for (unsigned way = 0; way < model->level[k].ways; way++)
                if (dirty_first_at(model, k, &model->level[k].set[i], way))
                    add_left(model, k, model->level[k].set[i].owner[way], left, by_part);
}

struct cache_counts cache_counts_since(const struct cache_counts *what,
                                       const struct cache_counts *since)
{
    struct cache_counts diff;

#define X(name)                                                                          \
    for (int k = 0; k < CACHE_LEVELS_MAX; k++)                                           \
        diff.name[k] = what->name[k] - since->name[k];
    CACHE_LEVEL_COUNT_MAP(X)
#undef X
#define X(name) diff.name = what->name - since->name;
    CACHE_COUNT_MAP(X)
#undef X
    return diff;
}
