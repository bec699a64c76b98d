/* Latency, reads and misses in flight of each cache level, from the first core alone. */
#include <math.h>

#include "core/machine/probe.h"

static const int lane_choices[] = {1, 4, 8, 10, 12, 16, 20, 24, 28, 32, 40};

struct cache_set {
    struct chase chase;
    struct piece piece;
    size_t lane_trial[CHASE_LANES_MAX], lane_trial_nr; /* [0] is one lane */
    size_t read_trial;
};

static double size_of(const struct machine_level *level)
{
    return level->effective_bytes > 0 ? level->effective_bytes
                                      : level->claimed_bytes / level->cores_sharing;
}

/* Half of what the level holds, but beyond the level above it. */
static size_t set_bytes(const struct machine *machine, int i, size_t unit)
{
    double bytes = size_of(&machine->level[i]) / 2;

    if (i > 0)
        bytes = fmax(bytes, 2 * size_of(&machine->level[i - 1]));
    return (size_t)(bytes / (double)unit) * unit;
}

static void add_set(struct trials *trials, struct cache_set *set, bool last)
{
    const double target_s = 0.5e-3;

    for (int lanes = 1; lanes <= CHASE_LANES_MAX; lanes++) {
        bool chosen = last;

        for (size_t i = 0; i < ARRAY_SIZE(lane_choices); i++)
            chosen = chosen || lane_choices[i] == lanes;
        if (chosen)
            set->lane_trial[set->lane_trial_nr++] =
                add_chase(trials, &set->chase, lanes, true, target_s);
    }
    set->read_trial = add_read(trials, &set->piece, target_s);
}

static void build_set(struct cache_set *set, char *base, size_t bytes, size_t node_bytes)
{
    chase_build(&set->chase, &(struct chase_plan){.base = base,
                                                  .bytes = bytes,
                                                  .spacing = node_bytes,
                                                  .order = CHASE_BLOCK_LOCAL,
                                                  .seed = bytes});
    /* Reads of whole units, all inside the set. */
    set->piece = (struct piece){.base = base, .bytes = bytes / 4096 * 4096};
    if (set->piece.bytes > 1 << 20)
        set->piece.bytes = set->piece.bytes >> 20 << 20;
}

/* The chase visits every second line: the same footprint, half of the lines, half of the
 * sets. */
static void fill_level(struct machine_level *level, const struct trials *trials,
                       const struct cache_set *set)
{
    double unit = trials->trial[set->read_trial].variant;

    level->latency_ns = trial_ns(trials, set->lane_trial[0]);
    level->one_core.random_lines_per_s =
        best_rate(trials, set->lane_trial, set->lane_trial_nr);
    level->one_core.read_gbs = quantity_divide(quantity_exact(unit, PROVENANCE_PROBE),
                                               trial_ns(trials, set->read_trial));
}

static void find_knee(struct probe *probe, const struct trials *trials,
                      const struct cache_set *set)
{
    struct quantity step_ns[CHASE_LANES_MAX];

    for (size_t i = 0; i < CHASE_LANES_MAX; i++)
        step_ns[i] = trial_ns(trials, set->lane_trial[i]);
    probe->l3_knee = knee_find(step_ns, CHASE_LANES_MAX, step_ns[0].low);
    probe->knee_runs = trials->trial[set->lane_trial[0]].sample_nr;
}

static void measure(struct probe *probe)
{
    struct machine *machine = probe->machine;
    struct cache_set set[MACHINE_LEVELS_MAX] = {0};
    struct trials trials = {0};
    struct region region;
    size_t total = 0;

    for (int i = 0; i < machine->level_nr; i++)
        total += set_bytes(machine, i, probe->node_bytes) + HUGE_PAGE_BYTES;
    if (region_map(&region, total, true, &probe->err))
        return;
    total = 0;
    for (int i = 0; i < machine->level_nr; i++) {
        size_t bytes = set_bytes(machine, i, probe->node_bytes);

        build_set(&set[i], region.base + total, bytes, probe->node_bytes);
        add_set(&trials, &set[i], i + 1 == machine->level_nr && i > 0);
        total += (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    }
    trials_run(&trials, probe->quick ? 21 : 61, probe_until(probe, 0.2));
    for (int i = 0; i < machine->level_nr; i++)
        fill_level(&machine->level[i], &trials, &set[i]);
    if (machine->level_nr > 1)
        find_knee(probe, &trials, &set[machine->level_nr - 1]);
    trials_release(&trials);
    region_release(&region);
}

int probe_caches(struct probe *probe, struct error *err)
{
    probe_say(probe, "measuring latency and throughput of the %d cache levels",
              probe->machine->level_nr);
    return probe->machine->level_nr ? probe_on_first_core(probe, measure, err) : 0;
}
