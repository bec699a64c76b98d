/* Memory as the first core alone sees it: latency with and without translation, and how
 * much it keeps in flight. */
#include <math.h>
#include <stdlib.h>

#include "core/machine/probe.h"
#include "core/machine/probe_pages.h"

static const int lane_choices[] = {1, 8, 12, 16, 20, 24, 28, 32, 40};

/* A chase and its trials; trial[0] has one lane. */
struct lane_set {
    struct chase chase;
    size_t trial[CHASE_LANES_MAX], trial_nr;
};

/* One page size: both orders live in the same nodes. */
struct page_set {
    struct lane_set local, random;
    struct page_probe pages;
};

static void add_lanes(struct trials *trials, struct lane_set *set, bool all)
{
    /* One lane gives the latencies: it takes longer to settle. */
    const double one_s = 1.5e-3, many_s = 0.7e-3;

    for (int lanes = 1; lanes <= CHASE_LANES_MAX; lanes++) {
        bool chosen = all;

        for (size_t i = 0; i < ARRAY_SIZE(lane_choices); i++)
            chosen = chosen || lane_choices[i] == lanes;
        if (chosen)
            set->trial[set->trial_nr++] =
                add_chase(trials, &set->chase, lanes, false, lanes == 1 ? one_s : many_s);
    }
}

static void build_orders(struct page_set *set, const struct region *region,
                         size_t node_bytes)
{
    struct chase_plan plan = {.base = region->base,
                              .bytes = region->bytes,
                              .spacing = node_bytes,
                              .order = CHASE_BLOCK_LOCAL,
                              .seed = 1};

    chase_build(&set->local.chase, &plan);
    plan.offset = sizeof(void *);
    plan.order = CHASE_RANDOM;
    chase_build(&set->random.chase, &plan);
}

static void add_set(struct probe *probe, struct trials *trials, struct page_set *set,
                    const struct region *region, bool knee)
{
    build_orders(set, region, probe->node_bytes);
    add_lanes(trials, &set->local, false);
    add_lanes(trials, &set->random, knee);
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
    to->translation_ns = difference_ns(trials, set->random.trial[0], set->local.trial[0]);
    to->random_accesses_per_s =
        best_rate(trials, set->random.trial, set->random.trial_nr);
    page_probe_read(&set->pages, trials, to);
}

static void find_knee(struct probe *probe, const struct trials *trials,
                      const struct page_set *set)
{
    double hold_ns = trial_ns(trials, set->local.trial[0]).low;
    struct quantity step_ns[CHASE_LANES_MAX];

    for (size_t i = 0; i < CHASE_LANES_MAX; i++)
        step_ns[i] = trial_ns(trials, set->random.trial[i]);
    probe->memory_knee = knee_find(step_ns, CHASE_LANES_MAX, hold_ns);
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

static void fill_memory(struct machine *machine, const struct trials *trials,
                        const struct page_set *set, size_t read)
{
    double unit = trials->trial[read].variant;

    machine->memory_latency_ns = trial_ns(trials, set->local.trial[0]);
    machine->one_core.random_lines_per_s =
        best_rate(trials, set->local.trial, set->local.trial_nr);
    machine->one_core.read_gbs =
        quantity_divide(quantity_exact(unit, PROVENANCE_PROBE), trial_ns(trials, read));
}

static void measure_sets(struct probe *probe, struct page_set *huge,
                         struct page_set *small)
{
    struct machine *machine = probe->machine;
    struct page_set *best = machine->huge_pages_available ? huge : small;
    struct piece piece = {.base = probe->huge.base, .bytes = probe->huge.bytes};
    struct trials trials = {0};
    size_t read;

    add_set(probe, &trials, small, &probe->small, false);
    if (machine->huge_pages_available)
        add_set(probe, &trials, huge, &probe->huge, true);
    read = add_read(&trials, &piece, 2e-3);
    trials_run(&trials, probe->quick ? 21 : 81, probe_until(probe, 0.3));
    fill_pages(&machine->small_pages, &trials, small);
    if (machine->huge_pages_available) {
        fill_pages(&machine->huge_pages, &trials, huge);
        find_knee(probe, &trials, huge);
        huge_walks(machine);
    }
    fill_memory(machine, &trials, best, read);
    probe->chaser = best->local.chase;
    trials_release(&trials);
}

static void measure(struct probe *probe)
{
    struct page_set *huge, *small;

    if (region_map(&probe->huge, probe->memory_set_bytes, true, &probe->err) ||
        region_map(&probe->small, probe->memory_set_bytes, false, &probe->err))
        return;
    probe->machine->huge_pages_available = probe->huge.huge_share > 0.9;
    huge = xcalloc(1, sizeof(*huge));
    small = xcalloc(1, sizeof(*small));
    measure_sets(probe, huge, small);
    free(huge);
    free(small);
}

int probe_memory(struct probe *probe, struct error *err)
{
    probe_say(probe, "measuring the latency of memory and of address translation");
    return probe_on_first_core(probe, measure, err);
}
