#include "core/traffic/tracer/cache_level.h"

#include <stdlib.h>
#include <string.h>

enum { NO_SUCH_WAY = 0xff };

void cache_set_drop(struct cache_set *set, unsigned way)
{
    set->stamp[way] = 0;
    set->dirty &= (uint16_t) ~(1u << way);
    set->pending &= (uint16_t) ~(1u << way);
    set->tag[way] = CACHE_NO_LINE;
}

void cache_set_rewind(struct cache_set *set)
{
    int16_t stamp[CACHE_WAYS_MAX];

    memcpy(stamp, set->stamp, sizeof(stamp));
    for (unsigned way = 0; way < CACHE_WAYS_MAX; way++) {
        int16_t older = 1;

        if (!stamp[way] || set->sign[way] == NO_SUCH_WAY)
            continue;
        for (unsigned i = 0; i < CACHE_WAYS_MAX; i++)
            older += stamp[i] && stamp[i] < stamp[way];
        set->stamp[way] = older;
    }
    set->clock = CACHE_WAYS_MAX;
}

/* Ways that do not exist match no sign and are never the oldest. */
static void set_init(struct cache_set *set, unsigned ways)
{
    memset(set, 0, sizeof(*set));
    memset(set->tag, 0xff, sizeof(set->tag));
    for (unsigned way = ways; way < CACHE_WAYS_MAX; way++) {
        set->sign[way] = NO_SUCH_WAY;
        set->stamp[way] = INT16_MAX;
    }
}

void cache_level_empty(struct cache_level *level)
{
    for (uint32_t i = 0; i < level->set_nr; i++)
        set_init(&level->set[i], level->ways);
}

int cache_level_init(struct cache_level *level, uint64_t lines, int ways, bool folded)
{
    level->ways = ways <= 0 ? 8 : ways > CACHE_WAYS_MAX ? CACHE_WAYS_MAX : (unsigned)ways;
    if (lines < level->ways)
        level->ways = lines ? (unsigned)lines : 1;
    if (lines / level->ways > UINT32_C(1) << 27)
        return -1;
    level->set_nr = lines < level->ways ? 1 : (uint32_t)(lines / level->ways);
    level->is_power = (level->set_nr & (level->set_nr - 1)) == 0;
    level->magic = UINT64_MAX / level->set_nr + 1;
    level->fold =
        folded && level->set_nr > 1 ? 31u - (unsigned)__builtin_clz(level->set_nr) : 0;
    level->fold_mask = level->fold ? (UINT64_C(1) << level->fold) - 1 : 0;
    level->set = aligned_alloc(CACHE_HOST_LINE, level->set_nr * sizeof(*level->set));
    if (!level->set)
        return -1;
    cache_level_empty(level);
    return 0;
}

void cache_level_release(struct cache_level *level)
{
    free(level->set);
    *level = (struct cache_level){0};
}
