#include "core/traffic/cache_level.h"

#include <stdlib.h>
#include <string.h>

void cache_level_drop(struct cache_level *level, uint64_t line)
{
    uint32_t index = cache_level_set(level, line);
    struct cache_set *set = &level->set[index];
    int way = cache_level_find(level, index, line, cache_sign(line));

    if (way < 0)
        return;
    cache_level_touch(level, index, (unsigned)way);
    if (level->stamp)
        level->stamp[(size_t)index * level->ways + (unsigned)way] = (unsigned)way;
    else
        set->order = set->order >> 4 | (uint64_t)way << level->last;
    set->dirty &= (uint16_t) ~(1u << way);
    set->pending &= (uint16_t) ~(1u << way);
    level->tag[(size_t)index * level->ways + (unsigned)way] = CACHE_NO_LINE;
}

/* Ways that do not exist match no sign and are in no order. */
static void set_init(struct cache_set *set, unsigned ways)
{
    unsigned none = CACHE_WAYS_MAX - ways;

    set->order = UINT64_C(0xfedcba9876543210) & UINT64_MAX >> 4 * none;
    set->sign[0] = ways < 8 ? UINT64_MAX << 8 * ways : 0;
    set->sign[1] = ways <= 8 ? UINT64_MAX : ways < 16 ? UINT64_MAX << 8 * (ways - 8) : 0;
}

int cache_level_init(struct cache_level *level, uint64_t lines, int ways, bool folded,
                     enum cache_lru lru)
{
    size_t tags;

    level->ways = ways <= 0 ? 8 : ways > CACHE_WAYS_MAX ? CACHE_WAYS_MAX : (unsigned)ways;
    if (lines < level->ways)
        level->ways = lines ? (unsigned)lines : 1;
    if (lines / level->ways > UINT32_C(1) << 28)
        return -1;
    level->last = 4 * (level->ways - 1);
    level->nibbles = UINT64_MAX >> 4 * (CACHE_WAYS_MAX - level->ways);
    level->set_nr = lines < level->ways ? 1 : (uint32_t)(lines / level->ways);
    level->mask = level->set_nr & (level->set_nr - 1) ? 0 : level->set_nr - 1;
    level->magic = UINT64_MAX / level->set_nr + 1;
    level->fold =
        folded && level->set_nr > 1 ? 31u - (unsigned)__builtin_clz(level->set_nr) : 0;
    level->fold_mask = level->fold ? (UINT64_C(1) << level->fold) - 1 : 0;
    tags = (size_t)level->set_nr * level->ways;
    level->tag = malloc(tags * sizeof(*level->tag));
    level->set = calloc(level->set_nr, sizeof(*level->set));
    if (lru == CACHE_BY_STAMP)
        level->stamp = calloc(tags, sizeof(*level->stamp));
    if (!level->tag || !level->set || (lru == CACHE_BY_STAMP && !level->stamp))
        return -1;
    memset(level->tag, 0xff, tags * sizeof(*level->tag));
    for (size_t i = 0; i < tags && level->stamp; i++)
        level->stamp[i] = i % level->ways;
    for (uint32_t i = 0; i < level->set_nr; i++)
        set_init(&level->set[i], level->ways);
    return 0;
}

void cache_level_release(struct cache_level *level)
{
    free(level->tag);
    free(level->set);
    free(level->stamp);
    free(level->written);
    *level = (struct cache_level){0};
}
