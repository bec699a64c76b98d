/*
 * The unloaded latency of memory, looked at throughout the probe. On a guest the first
 * seconds are slow (clock, what caches learn), and neighbours push the latency up for
 * seconds at a time: so the probe begins when the latency stays, and looks again between
 * its stages.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/machine/probe/probe.h"
#include "core/machine/sampling/looks.h"
#include "core/machine/sampling/trial.h"
#include "core/process/term.h"

/* Less is no memory set any more, whatever the cache. */
static const size_t min_bytes = 16u << 20;

/* Occupancies follow the latency in proportion: 15 % is what the limits they are held
 * against are uncertain by (two entries of 16). */
static const double unstable_ratio = 1.15;

/* The memory that is free may be less than it looks (limits, overcommitment): halves. */
int probe_map(struct region *region, size_t *bytes, bool huge, struct error *err)
{
    while (region_map(region, *bytes, huge, err)) {
        if (*bytes / 2 < min_bytes)
            return -1;
        *err = (struct error){0};
        *bytes /= 2;
    }
    return 0;
}

/* A small set is partly cached. */
void probe_note_size(struct probe *probe)
{
    const struct machine *machine = probe->machine;
    int last = machine->level_nr - 1;
    double cache = last >= 0 ? machine_share_max_bytes(machine, last) *
                                   machine_level_users(machine, last)
                             : 0;

    if ((double)probe->memory_set_bytes >= fmax(4 * cache, 64 << 20))
        return;
    probe_note(probe,
               "memory was judged on %zu MiB of the %.0f MiB that were free; the last "
               "cache may have %.0f MiB: latencies may be partly the cache's",
               probe->memory_set_bytes >> 20, probe->available_bytes / (1 << 20),
               cache / (1 << 20));
}

static void note_pages(struct probe *probe)
{
    const char *mode = memory_thp_mode();

    if (probe->machine->huge_pages_available)
        return;
    probe_note(probe,
               "no huge pages (transparent huge pages here: %s): latencies were measured "
               "on small pages, and the L1 knee in the last cache only",
               strcmp(mode, "never") && strcmp(mode, "none") ? "allowed but not given"
                                                             : mode);
}

static void map_sets(struct probe *probe)
{
    size_t bytes = probe->memory_set_bytes;

    if (probe_map(&probe->huge, &bytes, true, &probe->err))
        return;
    probe->machine->huge_pages_available = probe->huge.huge_share > 0.9;
    probe->memory_set_bytes = bytes;
    /* Linking takes time that a quick look has not got. */
    chase_build(&probe->chaser,
                &(struct chase_plan){.base = probe->huge.base,
                                     .bytes = probe->quick && !probe->crowded
                                                  ? probe->huge.bytes / 2
                                                  : probe->huge.bytes,
                                     .spacing = probe->node_bytes,
                                     .order = CHASE_BLOCK_LOCAL,
                                     .seed = 1});
}

/* Until two looks in a row agree with the one before within 2 %. */
static void settle(struct probe *probe)
{
    const double look_s = probe->quick ? 0.1 : 0.3, max_s = probe->quick ? 1 : 5;
    double start = clock_s(), last = NAN;
    int calm = 0;

    while (calm < 2 && clock_s() - start < max_s) {
        double now = chase_latency(&probe->chaser, look_s).value;

        calm = fabs(now / last - 1) <= 0.02 ? calm + 1 : 0;
        last = now;
    }
    probe->settled = calm >= 2;
    probe->settled_s = clock_s() - start;
    anchor_add(probe, clock_s(), last);
}

static void begin(struct probe *probe)
{
    map_sets(probe);
    if (!probe->err.text[0])
        settle(probe);
}

int probe_settle(struct probe *probe, struct error *err)
{
    probe_say(probe, "waiting until the latency of memory is stable");
    probe->start_s = clock_s();
    if (probe_on_first_core(probe, begin, err))
        return -1;
    note_pages(probe);
    if (probe->machine->cores == 1)
        probe_note(probe, "only one core may be used: nothing could load the memory "
                          "while its latency was measured");
    return 0;
}

void anchor_add(struct probe *probe, double at_s, double ns)
{
    if (probe->anchor_nr < ANCHORS_MAX)
        probe->anchor[probe->anchor_nr++] =
            (struct anchor){.at_s = at_s - probe->start_s, .ns = ns};
}

static void look(struct probe *probe)
{
    double ns = chase_latency(&probe->chaser, probe->quick ? 0.05 : 0.1).value;

    anchor_add(probe, clock_s(), ns);
    probe_look_at_queue(probe);
    probe_look_at_walks(probe);
}

int probe_look(struct probe *probe, struct error *err)
{
    return probe_on_first_core(probe, look, err);
}

static int by_ns(const void *a, const void *b)
{
    double x = ((const struct anchor *)a)->ns, y = ((const struct anchor *)b)->ns;

    return (x > y) - (x < y);
}

static double at_share(const struct anchor *sorted, size_t nr, double share)
{
    return sorted[(size_t)(share * (double)(nr - 1) + 0.5)].ns;
}

static char *stability_text(const struct probe *probe, const struct anchor *sorted,
                            const struct stability *stability)
{
    const struct anchor *top = &sorted[probe->anchor_nr - 1];
    struct buf text = {0};

    buf_addf(&text,
             "the unloaded latency of memory moved between %.0f and %.0f ns (%.0f %%) in "
             "%zu looks over %.0f s, most of all %.0f s after the start",
             sorted[0].ns, top->ns, 100 * (top->ns / sorted[0].ns - 1), probe->anchor_nr,
             clock_s() - probe->start_s, top->at_s);
    if (!probe->settled)
        buf_addf(&text, "; it had not settled after %.0f s", probe->settled_s);
    if (stability->unstable)
        buf_add(&text, ": neighbours on the host load the memory, repeat it later");
    return buf_detach(&text);
}

/* Disturbances only add, and last for seconds: the lower quartile of the looks is what
 * the memory does when left alone for a quarter of the time, and moves less from run to
 * run than the median. */
struct stability stability_of(const struct anchor *sorted, size_t nr, bool guest)
{
    double low = at_share(sorted, nr, 0.1), high = at_share(sorted, nr, 0.9);
    struct looks looks = {0};

    for (size_t i = 0; i < nr; i++)
        looks_add(&looks, sorted[i].ns);

    return (struct stability){
        .latency_ns =
            looks_quantity(&looks, 0.25, repeatability_of(FIGURE_LATENCY, guest)),
        /* Beyond the tenths: one look of a tenth of a second decides nothing. */
        .unstable = high > unstable_ratio * low};
}

void probe_stability(struct probe *probe)
{
    struct stability stability;

    if (!probe->anchor_nr)
        return;
    qsort(probe->anchor, probe->anchor_nr, sizeof(*probe->anchor), by_ns);
    stability = stability_of(probe->anchor, probe->anchor_nr, probe->guest);
    free(probe->machine->stability);
    probe->machine->memory_latency_ns = stability.latency_ns;
    probe->machine->unstable = stability.unstable;
    probe->machine->stability = stability_text(probe, probe->anchor, &stability);
}
