/* The live runner: what the cache model is told of the machine, and what it is not sure
 * of. */
#include <math.h>
#include <stdlib.h>

#include "search/live/live.h"

/* Ends nearer to each other than this move the traffic of few loops. */
static const double far_apart = 1.5;

static double bytes_at(const struct machine *machine, int i, enum cache_end end)
{
    struct quantity share = machine_share_bytes(machine, i);
    if (end == CACHE_MOST)
        return machine_share_most_bytes(machine, i);
    if (!share.known)
        return 0;
    return end == CACHE_LEAST ? share.low : share.value;
}

/*
 * What one core really gets of a level when all run, as the probe saw it, is what a copy
 * has: others that share the level are in that figure already, so the model is told of
 * none. Where only the size of the whole level is documented, the copies share it in the
 * model. Profiles do not tell inclusion: non-inclusive, the default.
 */
static struct traffic_cache cache_of(const struct machine *machine, int i, size_t copies,
                                     enum cache_end end)
{
    const struct machine_level *level = &machine->level[i];
    struct traffic_cache cache = {.ways = level->ways};
    if (level->effective_bytes > 0 || machine_is_probed(machine)) {
        cache.bytes = bytes_at(machine, i, end);
        return cache;
    }
    cache.bytes = level->claimed_bytes;
    cache.sharers =
        level->cores_sharing < (int)copies ? level->cores_sharing : (int)copies;
    return cache;
}

struct traffic_geometry cache_geometry(const struct machine *machine, bool huge_pages,
                                       size_t copies, enum cache_end end)
{
    const struct machine_pages *pages =
        huge_pages ? &machine->huge_pages : &machine->small_pages;
    /* The profile counts TLB reach in base pages, also on huge ones: a host may back them
     * with small pages. */
    bool counted = pages->tlb_entries > 0;
    struct traffic_geometry out = {.line_bytes = machine->line_bytes,
                                   .page_bytes = huge_pages && !counted ? 2097152 : 4096,
                                   .tlb_entries = (int)pages->tlb_entries,
                                   .store_read_factor = machine->store_read_factor};
    for (int i = 0; i < machine->level_nr && i < TRAFFIC_LEVELS_MAX; i++)
        out.level[out.level_nr++] = cache_of(machine, i, copies, end);
    if (out.level[0].sharers > 1) { /* the model's first level is one core's own */
        out.level[0].bytes /= out.level[0].sharers;
        out.level[0].sharers = 0;
    }
    return out;
}

struct traffic_geometry live_geometry(const struct live *live, bool huge_pages,
                                      enum cache_end end)
{
    struct traffic_geometry out =
        cache_geometry(live->opts.machine, huge_pages, live->copies, end);
    live_override_geometry(live, &out);
    return out;
}

/* The first level whose ends are far apart; -1 = none is. */
static int unsure_level(const struct traffic_geometry *least,
                        const struct traffic_geometry *most)
{
    for (int i = 0; i < least->level_nr; i++)
        if (most->level[i].bytes > far_apart * least->level[i].bytes)
            return i;
    return -1;
}

static void note_span(const struct traffic_geometry *least,
                      const struct traffic_geometry *most, int i, struct traffic *traffic)
{
    struct buf note = {0};
    if (traffic->note)
        buf_addf(&note, "%s; ", traffic->note);
    buf_addf(&note, "how much of L%d a core gets is known no better than from ", i + 1);
    buf_add_size(&note, least->level[i].bytes);
    buf_add(&note, " to ");
    buf_add_size(&note, most->level[i].bytes);
    buf_add(&note, ", so the lines from memory are an interval: 'inflight machine' on a "
                   "quiet machine tells more");
    free(traffic->note);
    traffic->note = buf_detach(&note);
}

size_t live_other_caches(const struct live *live, bool huge_pages,
                         struct traffic_geometry other[2])
{
    other[0] = live_geometry(live, huge_pages, CACHE_LEAST);
    other[1] = live_geometry(live, huge_pages, CACHE_MOST);
    return unsure_level(&other[0], &other[1]) < 0 ? 0 : 2;
}

void live_note_caches(const struct traffic_geometry other[2], struct traffic *traffic)
{
    note_span(&other[0], &other[1], unsure_level(&other[0], &other[1]), traffic);
}
