/*
 * How many misses fill the queue, by bursts of them (bursts.h); and
 * what software prefetch to L2 brings once the queue of L1 is full: the rate of random
 * reads with it over the best rate without, and the lines that it keeps in flight. The
 * lines that the hardware prefetchers keep in flight are in probe.c.
 */
#include <math.h>
#include <stdlib.h>

#include "core/machine/curves/burst_step.h"
#include "core/machine/probe/probe.h"
#include "core/machine/sampling/bursts.h"
#include "core/machine/sampling/prefetch_reads.h"
#include "core/machine/sampling/trial.h"
#include "core/process/term.h"

enum { WAYS_MAX = 16, DISTANCE_STEP = 128 }; /* variant = kind * step + distance */

static const int demand_chains[] = {16, 24, 32, 48};
static const int distances[PREFETCH_KINDS][8] = {
    [PREFETCH_NONE] = {0},
    [PREFETCH_L2] = {8, 16, 24, 32, 48, 64, 96},
    [PREFETCH_L1] = {16, 32, 64},
};

/* One way to read random lines. */
struct way {
    size_t trial;
    double lines; /* read per unit of work */
    enum prefetch_to to;
};

struct pattern {
    struct chase chase;
    struct prefetch_reads reads;
    struct way way[WAYS_MAX];
    size_t way_nr;
};

/* Of one pattern. */
struct outcome {
    struct quantity lines, l2_gain, l1_gain;
};

static void run_reads(void *subject, int variant, size_t work)
{
    prefetch_reads_run(subject, (enum prefetch_to)(variant / DISTANCE_STEP),
                       (size_t)(variant % DISTANCE_STEP), work);
}

static void add_way(struct pattern *pattern, size_t trial, double lines,
                    enum prefetch_to to)
{
    pattern->way[pattern->way_nr++] =
        (struct way){.trial = trial, .lines = lines, .to = to};
}

static void add_pattern(struct probe *probe, struct trials *trials,
                        struct pattern *pattern, const struct chase *chase,
                        size_t block_nodes)
{
    const double target_s = 0.5e-3;

    pattern->chase = *chase;
    prefetch_reads_init(&pattern->reads, probe->huge.base, probe->huge.bytes,
                        probe->node_bytes, block_nodes);
    for (size_t i = 0; i < ARRAY_SIZE(demand_chains); i++)
        add_way(pattern,
                add_chase(trials, &pattern->chase, demand_chains[i], false, target_s),
                demand_chains[i], PREFETCH_NONE);
    for (int to = 0; to < PREFETCH_KINDS; to++)
        for (size_t i = 0; i < 8 && (distances[to][i] || !i); i++)
            add_way(pattern,
                    trials_add(trials, &(struct trial){.run = run_reads,
                                                       .subject = &pattern->reads,
                                                       .variant = to * DISTANCE_STEP +
                                                                  distances[to][i],
                                                       .target_s = target_s}),
                    1, (enum prefetch_to)to);
}

static const struct way *best_way(const struct trials *trials,
                                  const struct pattern *pattern, enum prefetch_to to)
{
    const struct way *best = NULL;
    double best_ns = INFINITY;

    for (size_t i = 0; i < pattern->way_nr; i++) {
        const struct way *way = &pattern->way[i];
        double ns = trial_ns(trials, way->trial).value / way->lines;

        if (way->to == to && (ns < best_ns || !best)) {
            best = way;
            best_ns = ns;
        }
    }
    return best;
}

/* Time of `a` over that of `b`, each per line, round by round. */
static struct quantity ratio(const struct trials *trials, const struct way *a,
                             const struct way *b)
{
    const struct trial *x = &trials->trial[a->trial], *y = &trials->trial[b->trial];
    double *sample = xcalloc(x->sample_nr, sizeof(*sample));
    struct quantity result;

    for (size_t i = 0; i < x->sample_nr; i++)
        sample[i] = x->sample_ns[i] / a->lines / (y->sample_ns[i] / b->lines);
    result = samples_quantity(sample, x->sample_nr);
    free(sample);
    return result;
}

/* Lines in flight: the latency of one over the time from one line to the next. `one`: the
 * chase without translations, which do not stand in the queue of L2. */
static struct outcome outcome_of(const struct trials *trials,
                                 const struct pattern *pattern, size_t one)
{
    struct way alone = {.trial = one, .lines = 1};
    const struct way *without = best_way(trials, pattern, PREFETCH_NONE),
                     *to_l2 = best_way(trials, pattern, PREFETCH_L2),
                     *to_l1 = best_way(trials, pattern, PREFETCH_L1);

    return (struct outcome){.lines = ratio(trials, &alone, to_l2),
                            .l2_gain = ratio(trials, without, to_l2),
                            .l1_gain = ratio(trials, without, to_l1)};
}

/* The gain is that of block-local reads: fully random ones wait for translations, of
 * which prefetches need as many. */
static void fill(struct probe *probe, const struct trials *trials,
                 const struct pattern *local, const struct pattern *random, size_t one)
{
    struct outcome a = outcome_of(trials, local, one),
                   b = outcome_of(trials, random, one);

    probe->prefetch_lines = a.lines.value >= b.lines.value ? a.lines : b.lines;
    probe->prefetch_l1_gain = a.l1_gain;
    probe->machine->prefetch_l2_gain = a.l2_gain;
}

/* Some rounds; where others run there are fewer, and no step is told from less than
 * three, nor where the rounds contradict each other. */
void probe_look_at_queue(struct probe *probe)
{
    const size_t rounds = probe->quick ? 8 : 20;
    const double apart = 1.5;
    const double end_s = clock_s() + (probe->quick ? 0.2 : 0.5);
    struct bursts bursts = {.base = probe->huge.base,
                            .bytes = probe->huge.bytes,
                            .node_bytes = probe->node_bytes,
                            .random = probe->anchor_nr + 1};
    struct quantity step;

    while (bursts.rounds < rounds && clock_s() < end_s)
        bursts_round(&bursts);
    step = burst_step(bursts.burst_ns, BURSTS_MAX, bursts.rounds);
    if (step.known && step.high <= apart * step.value && step.low >= step.value / apart) {
        looks_add(&probe->queue, step.value);
        probe->burst_ns = samples_at(bursts.burst_ns[0], bursts.rounds, 0.5);
    }
    bursts_release(&bursts);
}

/* Another hardware thread of the core, which a guest does not see, takes entries; nothing
 * adds any: what a quarter of the looks reach. Where lines cannot be thrown out of the
 * caches, and where the window of instructions may be what is full (a miss of a burst is
 * some six), nothing is told. */
void probe_end_queue(struct probe *probe)
{
    const double of_window = 6, memory_min = 0.5, reached = 0.75;
    const struct machine *machine = probe->machine;
    struct quantity step = looks_quantity(&probe->queue, reached,
                                          repeatability_of(FIGURE_QUEUE, probe->guest));

    if (!step.known || probe->burst_ns < memory_min * probe->anchor[0].ns ||
        (machine->rob_entries > 0 && step.value * of_window > machine->rob_entries))
        return;
    step.value = round(step.value);
    step.low = fmin(step.low, step.value - 1); /* misses are whole */
    step.high = fmax(step.high, step.value + 1);
    probe->burst_step = step;
}

static void measure(struct probe *probe)
{
    const size_t rounds_max = 201;
    const struct machine *machine = probe->machine;
    struct pattern *local = xcalloc(1, sizeof(*local)),
                   *random = xcalloc(1, sizeof(*random));
    struct trials trials = {0};
    size_t one;

    add_pattern(probe, &trials, local, &probe->chaser,
                HUGE_PAGE_BYTES / probe->node_bytes);
    one = add_chase(&trials, &local->chase, 1, false, 1e-3);
    add_pattern(
        probe, &trials, random,
        &probe->random_chaser[machine->huge_pages_available ? PAGE_HUGE : PAGE_SMALL], 0);
    trials.stop_s = probe_stop(probe, 0.07);
    trials_run(&trials, rounds_max, probe_until(probe, 0.07));
    fill(probe, &trials, local, random, one);
    probe->chaser = local->chase;
    trials_release(&trials);
    prefetch_reads_release(&local->reads);
    prefetch_reads_release(&random->reads);
    free(local);
    free(random);
}

int probe_queues(struct probe *probe, struct error *err)
{
    probe_say(probe, "measuring prefetch to L2");
    return probe_on_first_core(probe, measure, err);
}
