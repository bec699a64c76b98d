/* Latency, random reads and misses in flight of each cache level, from the first core
 * alone. */
#include <math.h>

#include "core/machine/probe/probe.h"
#include "core/machine/sampling/trial.h"

static const int chain_choices[] = {1, 4, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48};

struct cache_set {
    struct chase chase;
    size_t chain_trial[CHASE_CHAINS_MAX], chain_trial_nr; /* [0] is one lane */
};

/* Half of what the level holds, but far enough beyond the level before it that little of
 * the set stays there: with random replacement a sixth does of six times its size. Those
 * hits would be no misses of the queue that is looked for. 0 = nobody knows what it
 * holds: whatever the set, it could be memory that is measured. */
static size_t set_bytes(const struct machine *machine, int i, size_t unit)
{
    const double enough = 64 << 20; /* to tell it from the level before; warms quickly */
    double holds = machine_share_guess_bytes(machine, i), bytes = fmin(holds / 2, enough);

    if (i > 0 && !(machine->level[i].effective_bytes > 0))
        return 0;
    if (i > 0) /* all of what a core gets while others run stays when they do not */
        bytes = fmax(bytes, fmin(6 * machine_share_guess_bytes(machine, i - 1), holds));
    return (size_t)fmax(bytes / (double)unit, CHASE_CHAINS_MAX) * unit;
}

static void add_set(struct trials *trials, struct cache_set *set, bool last)
{
    const double target_s = 0.5e-3;

    for (int chains = 1; chains <= CHASE_CHAINS_MAX; chains++) {
        bool chosen = last && knee_chains(chains);

        for (size_t i = 0; i < ARRAY_SIZE(chain_choices); i++)
            chosen = chosen || chain_choices[i] == chains;
        if (chosen)
            set->chain_trial[set->chain_trial_nr++] =
                add_chase(trials, &set->chase, chains, true, target_s);
    }
}

static void build_set(struct cache_set *set, char *base, size_t bytes, size_t node_bytes)
{
    chase_build(&set->chase, &(struct chase_plan){.base = base,
                                                  .bytes = bytes,
                                                  .spacing = node_bytes,
                                                  .order = CHASE_BLOCK_LOCAL,
                                                  .seed = bytes});
}

/* The chase visits every second line: the same footprint, half of the lines, half of the
 * sets. */
static void fill_level(struct machine_level *level, const struct trials *trials,
                       const struct cache_set *set)
{
    level->latency_ns = trial_ns(trials, set->chain_trial[0]);
    level->one_core.random_lines_per_s =
        best_rate(trials, set->chain_trial, set->chain_trial_nr);
}

/* A load that hits L1 needs as long after its miss has left the queue. */
static void find_knee(struct probe *probe, const struct trials *trials,
                      const struct cache_set *set)
{
    const struct machine_level *first = &probe->machine->level[0];
    double residency_ns =
        trial_ns(trials, set->chain_trial[0]).low - first->latency_ns.value;

    probe->l3_knee =
        trials_knee(trials, set->chain_trial, set->chain_trial_nr, residency_ns);
    probe->knee_runs = trials->trial[set->chain_trial[0]].sample_nr;
}

static void measure(struct probe *probe)
{
    struct machine *machine = probe->machine;
    struct cache_set set[MACHINE_LEVELS_MAX] = {0};
    struct trials trials = {0};
    struct region region;
    const size_t rounds_max = 400; /* the time ends it before, as a rule */
    size_t total = 0;

    for (int i = 0; i < machine->level_nr; i++)
        total += set_bytes(machine, i, probe->node_bytes) + HUGE_PAGE_BYTES;
    if (region_map(&region, total, true, &probe->err))
        return;
    total = 0;
    for (int i = 0; i < machine->level_nr; i++) {
        size_t bytes = set_bytes(machine, i, probe->node_bytes);

        if (!bytes)
            continue;
        build_set(&set[i], region.base + total, bytes, probe->node_bytes);
        add_set(&trials, &set[i], i + 1 == machine->level_nr && i > 0);
        total += (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    }
    trials.stop_s = probe_stop(probe, 0.15);
    trials_run(&trials, rounds_max, probe_until(probe, 0.15));
    for (int i = 0; i < machine->level_nr; i++)
        if (set[i].chain_trial_nr)
            fill_level(&machine->level[i], &trials, &set[i]);
    if (machine->level_nr > 1 && set[machine->level_nr - 1].chain_trial_nr)
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
