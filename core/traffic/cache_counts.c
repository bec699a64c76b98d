/* Reading a cache model: what was counted, what is dirty. */
#include "core/traffic/cache_model.h"

/* Lines found at `found` were filled into level k above it; prefetches to L2 not into L1.
 */
static void add_fetched(struct cache_counts *counts, const struct cache_events *events,
                        int k, int found)
{
    uint64_t software = events->fetched[CACHE_PREFETCH_L1][found];

    if (k > 0)
        software += events->fetched[CACHE_PREFETCH_L2][found];
    counts->covered[k] += events->fetched[CACHE_COVERED][found];
    counts->software[k] += software;
    counts->fills[k] += events->fetched[CACHE_DEMAND][found] +
                        events->fetched[CACHE_COVERED][found] + software;
}

struct cache_counts cache_model_counts(const struct cache_model *model)
{
    const struct cache_events *events = &model->events;
    struct cache_counts counts = {
        .accesses = events->accesses,
        .bytes = events->bytes,
        .nontemporal = events->nontemporal,
        .walks = events->walks,
        .overwritten = events->overwritten,
    };

    for (int k = 0; k < model->level_nr; k++) {
        counts.writebacks[k] = events->writebacks[k];
        for (int found = k + 1; found <= model->level_nr; found++)
            add_fetched(&counts, events, k, found);
        counts.l1_from[k] = events->fetched[CACHE_DEMAND][k + 1] +
                            events->fetched[CACHE_COVERED][k + 1] +
                            events->fetched[CACHE_PREFETCH_L1][k + 1];
        counts.l1_covered[k] = events->fetched[CACHE_COVERED][k + 1];
    }
    return counts;
}

uint64_t cache_model_capacity(const struct cache_model *model, int level)
{
    return (uint64_t)model->level[level].set_nr * model->level[level].ways;
}

static bool dirty_in(const struct cache_level *level, uint64_t line)
{
    uint32_t index = cache_level_set(level, line);
    int way = cache_level_find(level, index, line, cache_sign(line));

    return way >= 0 && level->set[index].dirty >> way & 1;
}

/* Dirty lines of level k that no level above holds dirty. */
static uint64_t dirty_first_at(const struct cache_model *model, int k)
{
    const struct cache_level *level = &model->level[k];
    uint64_t nr = 0;

    for (uint32_t i = 0; i < level->set_nr; i++)
        for (unsigned way = 0; way < level->ways; way++) {
            bool counts = level->set[i].dirty >> way & 1;

            for (int above = 0; above < k && counts; above++)
                counts = !dirty_in(&model->level[above],
                                   level->tag[(size_t)i * level->ways + way]);
            nr += counts;
        }
    return nr;
}

void cache_model_dirty(const struct cache_model *model, uint64_t left[CACHE_LEVELS_MAX])
{
    uint64_t nr = 0;

    for (int k = 0; k < model->level_nr; k++)
        left[k] = nr += dirty_first_at(model, k);
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
