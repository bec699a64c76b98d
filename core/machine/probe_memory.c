/* Memory as the first core alone sees it: what translation adds to its latency, and how
 * much it keeps in flight. The latency itself is in probe_settle.c. */
#include <math.h>
#include <stdlib.h>

#include "core/machine/probe.h"
#include "core/machine/probe_pages.h"

static const int lane_choices[] = {1, 8, 12, 16, 20, 24, 28, 32, 40, 48};

/* A chase and its trials; trial[0] has one lane. */
struct lane_set {
    struct chase chase;
    size_t trial[CHASE_LANES_MAX], trial_nr;
};

/* One page size: both orders live in the same nodes. */
struct page_set {
    struct lane_set local, random;
    size_t alone_trial; /* one lane, fully random, after a while of nothing else */
    struct page_probe pages;
};

static void add_lanes(struct trials *trials, struct lane_set *set, bool all)
{
    /* One lane gives the latencies: it takes longer to settle. */
    const double one_s = 1.5e-3, many_s = 0.7e-3;

    for (int lanes = 1; lanes <= CHASE_LANES_MAX; lanes++) {
        bool chosen = all && knee_lanes(lanes);

        for (size_t i = 0; i < ARRAY_SIZE(lane_choices); i++)
            chosen = chosen || lane_choices[i] == lanes;
        if (chosen)
            set->trial[set->trial_nr++] =
                add_chase(trials, &set->chase, lanes, false, lanes == 1 ? one_s : many_s);
    }
}

static void build_random(struct page_set *set, const struct region *region,
                         size_t node_bytes)
{
    chase_build(&set->random.chase, &(struct chase_plan){.base = region->base,
                                                         .bytes = region->bytes,
                                                         .spacing = node_bytes,
                                                         .offset = sizeof(void *),
                                                         .order = CHASE_RANDOM,
                                                         .seed = 1});
}

/* Many lanes bring the page tables into the caches, and a walk of one lane right behind
 * them is too cheap: before it is timed, one lane walks until it has met the lines of the
 * page tables (8 entries of 4 KiB pages each, 32 nodes a page) about twice. */
static void walk_alone(void *subject)
{
    const struct chase *chase = subject;
    const size_t nodes_per_table_line = 8 * 32;

    chase_run(subject, 1, 2 * (chase->node_nr / nodes_per_table_line) + 1);
}

static size_t add_alone(struct trials *trials, struct chase *chase)
{
    size_t trial = add_chase(trials, chase, 1, false, 1.5e-3);

    trials->trial[trial].warm = walk_alone;
    return trial;
}

static void add_set(struct probe *probe, struct trials *trials, struct page_set *set,
                    const struct region *region, bool knee)
{
    build_random(set, region, probe->node_bytes);
    add_lanes(trials, &set->local, false);
    add_lanes(trials, &set->random, knee);
    set->alone_trial = add_alone(trials, &set->random.chase);
    page_probe_add(&set->pages, trials, region, &probe->huge,
                   (size_t)probe->machine->line_bytes);
}

/* Both were measured in the same rounds: the differences of the rounds are the samples,
 * but for rounds in which another process stretched one of the two. */
static struct quantity difference_ns(const struct trials *trials, size_t more,
                                     size_t less)
{
    const struct trial *a = &trials->trial[more], *b = &trials->trial[less];
    double a_most = 1.3 * trial_ns(trials, more).low,
           b_most = 1.3 * trial_ns(trials, less).low;
    double *sample = xcalloc(a->sample_nr, sizeof(*sample));
    struct quantity result;
    size_t nr = 0;

    for (size_t i = 0; i < a->sample_nr; i++)
        if (a->sample_ns[i] <= a_most && b->sample_ns[i] <= b_most)
            sample[nr++] = a->sample_ns[i] - b->sample_ns[i];
    result = nr < 3 ? quantity_subtract(trial_ns(trials, more), trial_ns(trials, less))
                    : samples_quantity(sample, nr);
    free(sample);
    return result;
}

static void fill_pages(struct machine_pages *to, const struct trials *trials,
                       const struct page_set *set)
{
    to->translation_ns = difference_ns(trials, set->alone_trial, set->local.trial[0]);
    to->random_accesses_per_s =
        best_rate(trials, set->random.trial, set->random.trial_nr);
    page_probe_read(&set->pages, trials, to);
}

/* Without translation, and without the hit in L1 that follows the miss. */
static void find_knee(struct probe *probe, const struct trials *trials,
                      const struct page_set *set)
{
    const struct machine *machine = probe->machine;
    double hit_ns = machine->level_nr && machine->level[0].latency_ns.known
                        ? machine->level[0].latency_ns.value
                        : 0;

    probe->memory_knee = trials_knee(trials, set->random.trial, set->random.trial_nr,
                                     trial_ns(trials, set->local.trial[0]).low - hit_ns);
}

/* Huge pages that stay within the TLBs show no walks; a walk for one is a level shorter
 * than for a small page. */
static void huge_walks(struct machine *machine)
{
    if (machine->huge_pages.walks_per_s.known)
        return;
    machine->huge_pages.walks_per_s = machine->small_pages.walks_per_s;
    machine->huge_pages.walks_is_floor = true;
}

/* The rounds were spread over the whole stage: each part of them is a look of its own. */
static void add_anchors(struct probe *probe, const struct trial *one, double started_s,
                        double ended_s)
{
    const size_t parts = probe->quick ? 4 : 12;

    for (size_t i = 0; i < parts; i++) {
        size_t from = one->sample_nr * i / parts, to = one->sample_nr * (i + 1) / parts;
        double share = ((double)i + 0.5) / (double)parts;

        if (to >= from + 3)
            anchor_add(probe, started_s + share * (ended_s - started_s),
                       samples_quantity(one->sample_ns + from, to - from).value);
    }
}

/* Where there are no huge pages the one region stands for both. */
static void measure_sets(struct probe *probe, struct page_set *huge,
                         struct page_set *small)
{
    struct machine *machine = probe->machine;
    struct page_set *best = machine->huge_pages_available ? huge : small;
    const size_t rounds_max = 400; /* the time ends it before, as a rule */
    struct trials trials = {0};
    double started_s;

    best->local.chase = probe->chaser;
    if (machine->huge_pages_available) {
        chase_build(&small->local.chase,
                    &(struct chase_plan){.base = probe->small.base,
                                         .bytes = probe->small.bytes,
                                         .spacing = probe->node_bytes,
                                         .order = CHASE_BLOCK_LOCAL,
                                         .seed = 1});
        add_set(probe, &trials, small, &probe->small, false);
        add_set(probe, &trials, huge, &probe->huge, true);
    } else {
        add_set(probe, &trials, small, &probe->huge, false);
    }
    started_s = clock_s();
    trials_run(&trials, rounds_max, probe_until(probe, 0.27));
    add_anchors(probe, &trials.trial[best->local.trial[0]], started_s, clock_s());
    fill_pages(&machine->small_pages, &trials, small);
    if (machine->huge_pages_available) {
        fill_pages(&machine->huge_pages, &trials, huge);
        find_knee(probe, &trials, huge);
        huge_walks(machine);
    }
    machine->one_core.random_lines_per_s =
        best_rate(&trials, best->local.trial, best->local.trial_nr);
    probe->chaser = best->local.chase;
    probe->random_chaser = best->random.chase;
    trials_release(&trials);
}

static void measure(struct probe *probe)
{
    struct page_set *huge = xcalloc(1, sizeof(*huge)),
                    *small = xcalloc(1, sizeof(*small));

    measure_sets(probe, huge, small);
    free(huge);
    free(small);
}

int probe_memory(struct probe *probe, struct error *err)
{
    probe_say(probe, "measuring the latency of memory and of address translation");
    if (probe_on_first_core(probe, measure, err))
        return -1;
    probe_stability(
        probe); /* later stages need the latency; the last word is at the end */
    return 0;
}
