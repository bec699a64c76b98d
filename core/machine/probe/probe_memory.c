/* Memory as the first core alone sees it: what translation adds to its latency, and how
 * much it keeps in flight. The latency itself is in probe_settle.c. */
#include <math.h>
#include <stdlib.h>

#include "core/machine/probe/probe.h"
#include "core/machine/probe/probe_pages.h"

/* Fewer samples have no spread that could be told: then the cost is unknown. */
enum { ALONE_MAX = 16, TRANSLATIONS_LEAST = 3 };

static const int lane_choices[] = {1, 8, 12, 16, 20, 24, 28, 32, 40, 48};

/* A chase and its trials; trial[0] has one lane. */
struct lane_set {
    struct chase chase;
    size_t trial[CHASE_LANES_MAX], trial_nr;
};

/* One page size: both orders live in the same nodes. */
struct page_set {
    struct lane_set local, random;
    double translation_ns[ALONE_MAX]; /* of one chase alone */
    size_t translation_nr;
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

static void add_set(struct probe *probe, struct trials *trials, struct page_set *set,
                    const struct region *region, bool knee)
{
    build_random(set, region, probe->node_bytes);
    add_lanes(trials, &set->local, false);
    add_lanes(trials, &set->random, knee);
    page_probe_add(&set->pages, trials, region, &probe->huge,
                   (size_t)probe->machine->line_bytes);
}

/* Nanoseconds a step, NaN when another process got in between. */
static double walk_ns(struct chase *chase, size_t steps)
{
    struct watch start = watch_now(), end;

    chase_run(chase, 1, steps);
    end = watch_now();
    return watch_was_disturbed(&start, &end)
               ? NAN
               : (end.wall_s - start.wall_s) / (double)steps * 1e9;
}

/*
 * How much longer a fully random step takes than a block-local one, each chase alone.
 * Many lanes bring the page tables into the caches, and a walk right behind them is too
 * cheap: in a guest with 1 GiB of 4 KiB pages a step rose from 172 to 215-240 ns within
 * the first 200 000 to 300 000. These meet each line of the guest's page tables (8
 * entries) about nine times; then reuse and eviction balance.
 */
static void sample_translation(struct page_set *set, double end_s)
{
    const size_t lead_steps = 300000, steps = 32768;
    const int tries_max = 3;

    for (int i = 0;
         set->translation_nr < ALONE_MAX && (!i || (i < tries_max && clock_s() < end_s));
         i++) {
        double random_ns, local_ns;

        chase_run(&set->random.chase, 1, lead_steps);
        random_ns = walk_ns(&set->random.chase, steps);
        chase_run(&set->local.chase, 1, steps / 8);
        local_ns = walk_ns(&set->local.chase, steps);
        if (isnan(random_ns) || isnan(local_ns))
            continue;
        set->translation_ns[set->translation_nr++] = random_ns - local_ns;
        break;
    }
}

/* Both page sizes in turn; nothing is tried again after end_s. */
static void sample_translations(struct page_set *huge, struct page_set *small, size_t nr,
                                double end_s)
{
    while (nr--) {
        sample_translation(small, end_s);
        if (huge)
            sample_translation(huge, end_s);
    }
}

static void fill_pages(struct machine_pages *to, const struct trials *trials,
                       const struct page_set *set)
{
    if (set->translation_nr >= TRANSLATIONS_LEAST)
        to->translation_ns = samples_quantity(set->translation_ns, set->translation_nr);
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
    const size_t alone = probe->quick ? 3 : ALONE_MAX / 2;
    struct page_set *other = machine->huge_pages_available ? huge : NULL;
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
    sample_translations(other, small, alone, probe_until(probe, 0.1));
    started_s = clock_s();
    trials_run(&trials, rounds_max, probe_until(probe, 0.23));
    add_anchors(probe, &trials.trial[best->local.trial[0]], started_s, clock_s());
    sample_translations(other, small, alone, probe_until(probe, 0.1));
    fill_pages(&machine->small_pages, &trials, small);
    if (small->translation_nr < TRANSLATIONS_LEAST ||
        (other && other->translation_nr < TRANSLATIONS_LEAST))
        probe_note(probe, "what a page walk costs could not be measured on all pages: "
                          "other processes kept running on the core");
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
