#include "core/traffic/cache_level.h"

#include <stdlib.h>
#include <string.h>

void cache_level_drop(const struct cache_level *level, struct cache_set *set,
                      unsigned way)
{
    cache_set_touch(set, way);
    set->order = set->order >> 4 | (uint64_t)way << level->last;
    set->dirty &= (uint16_t) ~(1u << way);
    set->pending &= (uint16_t) ~(1u << way);
    set->tag[way] = CACHE_NO_LINE;
}

/* Ways that do not exist match no sign and are in no order. */
static void set_init(struct cache_set *set, unsigned ways)
{
    unsigned none = CACHE_WAYS_MAX - ways;

    memset(set, 0, sizeof(*set));
    memset(set->tag, 0xff, sizeof(set->tag));
    set->order = UINT64_C(0xfedcba9876543210) & UINT64_MAX >> 4 * none;
    set->sign[0] = ways < 8 ? UINT64_MAX << 8 * ways : 0;
    set->sign[1] = ways <= 8 ? UINT64_MAX : ways < 16 ? UINT64_MAX << 8 * (ways - 8) : 0;
}

int cache_level_init(struct cache_level *level, uint64_t lines, int ways, bool folded)
{
    level->ways = ways <= 0 ? 8 : ways > CACHE_WAYS_MAX ? CACHE_WAYS_MAX : (unsigned)ways;
    if (lines < level->ways)
        level->ways = lines ? (unsigned)lines : 1;
    if (lines / level->ways > UINT32_C(1) << 28)
        return -1;
    level->last = 4 * (level->ways - 1);
    level->nibbles = UINT64_MAX >> 4 * (CACHE_WAYS_MAX - level->ways);
    level->set_nr = lines < level->ways ? 1 : (uint32_t)(lines / level->ways);
    level->magic = UINT64_MAX / level->set_nr + 1;
    level->fold =
        folded && level->set_nr > 1 ? 31u - (unsigned)__builtin_clz(level->set_nr) : 0;
    level->fold_mask = level->fold ? (UINT64_C(1) << level->fold) - 1 : 0;
    level->mask =
        level->fold || level->set_nr & (level->set_nr - 1) ? 0 : level->set_nr - 1;
    level->set = aligned_alloc(CACHE_SET_ALIGN, level->set_nr * sizeof(*level->set));
    if (!level->set)
        return -1;
    for (uint32_t i = 0; i < level->set_nr; i++)
        set_init(&level->set[i], level->ways);
    return 0;
}

void cache_level_release(struct cache_level *level)
{
    free(level->set);
    *level = (struct cache_level){0};
}
