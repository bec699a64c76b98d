/* Memory as the first core alone sees it: what translation adds to its latency, and how
 * much it keeps in flight. The latency itself is in probe_settle.c. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/statistics.h"
#include "core/machine/probe/probe.h"
#include "core/machine/probe/probe_pages.h"
#include "core/machine/sampling/trial.h"
#include "core/machine/sampling/walks.h"
#include "core/process/term.h"

static const int chain_choices[] = {1, 8, 12, 16, 20, 24, 28, 32, 40, 48};

/* A chase and its trials; trial[0] has one lane. */
struct chain_set {
    struct chase chase;
    size_t trial[CHASE_CHAINS_MAX], trial_nr;
};

/* One page size. */
struct page_set {
    struct chain_set random;
    struct page_probe pages;
};

/* Block-local on the larger pages; where there are no huge ones, that of small ones. */
struct memory_sets {
    struct chain_set local;
    struct page_set huge, small;
};

static void add_chains(struct trials *trials, struct chain_set *set, bool all)
{
    /* One lane gives the latencies: it takes longer to settle. */
    const double one_s = 1.5e-3, many_s = 0.7e-3;

    for (int chains = 1; chains <= CHASE_CHAINS_MAX; chains++) {
        bool chosen = all && knee_chains(chains);

        for (size_t i = 0; i < ARRAY_SIZE(chain_choices); i++)
            chosen = chosen || chain_choices[i] == chains;
        if (chosen)
            set->trial[set->trial_nr++] = add_chase(trials, &set->chase, chains, false,
                                                    chains == 1 ? one_s : many_s);
    }
}

/* Every fourth line, of a quick look every eighth: linking them all takes seconds, and
 * these are far more than a cache holds, too. */
static size_t random_spacing(const struct probe *probe)
{
    return (probe->quick ? 4 : 2) * probe->node_bytes;
}

static void build_random(struct page_set *set, const struct region *region,
                         size_t spacing)
{
    size_t bytes =
        region->bytes < PROBE_RANDOM_BYTES ? region->bytes : PROBE_RANDOM_BYTES;

    chase_build(&set->random.chase, &(struct chase_plan){.base = region->base,
                                                         .bytes = bytes,
                                                         .spacing = spacing,
                                                         .offset = sizeof(void *),
                                                         .order = CHASE_RANDOM,
                                                         .seed = 1});
}

static void add_set(struct probe *probe, struct trials *trials, struct page_set *set,
                    const struct region *region)
{
    build_random(set, region, random_spacing(probe));
    add_chains(trials, &set->random, false);
    page_probe_add(&set->pages, trials, region, &probe->huge,
                   (size_t)probe->machine->line_bytes);
}

/* Where others run, a look is over before its chase has brought the page tables into the
 * caches. */
static void look_at_walk(struct probe *probe, enum page_kind kind,
                         const struct region *region, struct chase *random)
{
    const double seconds = probe->quick ? 0.3 : 0.6;

    looks_add(&probe->walk[kind],
              walk_look(region, random, &probe->chaser, clock_s() + seconds));
}

static const struct region *region_of(const struct probe *probe, enum page_kind kind)
{
    return kind == PAGE_HUGE || !probe->small.bytes ? &probe->huge : &probe->small;
}

void probe_look_at_walks(struct probe *probe)
{
    for (enum page_kind kind = 0; kind < PAGE_KINDS && !probe->crowded; kind++)
        if (probe->random_chaser[kind].node_nr)
            look_at_walk(probe, kind, region_of(probe, kind),
                         &probe->random_chaser[kind]);
}

/* Another mapping: where the page tables lie has a part in what a walk costs. Where there
 * is no memory for it, or no time, the first one stands alone. */
static void look_elsewhere(struct probe *probe, enum page_kind kind, uint64_t seed)
{
    struct region region = {0};
    struct chase random;

    if (memory_available_bytes() < 2.0 * PROBE_RANDOM_BYTES ||
        region_map(&region, PROBE_RANDOM_BYTES, kind == PAGE_HUGE, NULL))
        return;
    chase_build(&random, &(struct chase_plan){.base = region.base,
                                              .bytes = region.bytes,
                                              .spacing = random_spacing(probe),
                                              .order = CHASE_RANDOM,
                                              .seed = seed});
    for (int i = 0; i < 2; i++)
        look_at_walk(probe, kind, &region, &random);
    region_release(&region);
}

static void look_at_other_mappings(struct probe *probe)
{
    const uint64_t mappings = probe->quick ? 1 : 3;
    const double end_s = probe_until(probe, 0.1), /* when quick, for small pages only */
        for_others_s = 0.6 * probe->seconds;

    for (uint64_t i = 0; i < mappings && !probe->crowded; i++)
        for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
            if (probe->random_chaser[kind].node_nr && clock_s() < end_s &&
                probe->end_s - clock_s() > for_others_s)
                look_elsewhere(probe, kind, i + 2);
}

void probe_end_walks(struct probe *probe)
{
    struct machine *machine = probe->machine;
    struct quantity *to[PAGE_KINDS] = {[PAGE_SMALL] =
                                           &machine->small_pages.translation_ns,
                                       [PAGE_HUGE] = &machine->huge_pages.translation_ns};

    for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++) {
        *to[kind] = looks_quantity(&probe->walk[kind], 0.5,
                                   repeatability_of(FIGURE_WALK, probe->guest));
        to[kind]->low = fmax(to[kind]->low, 0); /* no walk takes less */
        if (probe->random_chaser[kind].node_nr && !to[kind]->known)
            probe_note(probe,
                       "what a page walk costs on %s pages could not be measured: "
                       "other processes kept running on the core",
                       kind == PAGE_SMALL ? "small" : "huge");
    }
}

static void fill_pages(struct machine_pages *to, const struct trials *trials,
                       const struct page_set *set)
{
    to->random_accesses_per_s =
        best_rate(trials, set->random.trial, set->random.trial_nr);
    page_probe_read(&set->pages, trials, to);
}

/* Without the hit in L1 that follows the miss. */
static void find_knee(struct probe *probe, const struct trials *trials,
                      const struct chain_set *local)
{
    const struct machine *machine = probe->machine;
    double hit_ns = machine->level_nr && machine->level[0].latency_ns.known
                        ? machine->level[0].latency_ns.value
                        : 0;

    probe->memory_knee = trials_knee(trials, local->trial, local->trial_nr,
                                     trial_ns(trials, local->trial[0]).low - hit_ns);
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

/* Where there are no huge pages the one region stands for both. False: no memory. */
static bool add_sets(struct probe *probe, struct trials *trials, struct memory_sets *sets)
{
    size_t bytes =
        probe->huge.bytes < PROBE_RANDOM_BYTES ? probe->huge.bytes : PROBE_RANDOM_BYTES;

    sets->local.chase = probe->chaser;
    add_chains(trials, &sets->local, !probe->quick); /* bursts tell more, and sooner */
    if (!probe->machine->huge_pages_available) {
        add_set(probe, trials, &sets->small, &probe->huge);
        return true;
    }
    if (probe_map(&probe->small, &bytes, false, &probe->err))
        return false;
    add_set(probe, trials, &sets->small, &probe->small);
    add_set(probe, trials, &sets->huge, &probe->huge);
    return true;
}

static void fill_sets(struct probe *probe, struct memory_sets *sets,
                      const struct trials *trials)
{
    struct machine *machine = probe->machine;
    bool huge = machine->huge_pages_available;

    fill_pages(&machine->small_pages, trials, &sets->small);
    if (huge) {
        fill_pages(&machine->huge_pages, trials, &sets->huge);
        huge_walks(machine);
    }
    find_knee(probe, trials, &sets->local);
    machine->one_core.random_lines_per_s =
        best_rate(trials, sets->local.trial, sets->local.trial_nr);
    probe->chaser = sets->local.chase;
    probe->random_chaser[PAGE_SMALL] = sets->small.random.chase;
    if (huge)
        probe->random_chaser[PAGE_HUGE] = sets->huge.random.chase;
}

static void measure(struct probe *probe)
{
    const size_t rounds_max = 400; /* the time ends it before, as a rule */
    const double share = probe->quick ? 0.1 : 0.2;
    struct memory_sets *sets = xcalloc(1, sizeof(*sets));
    struct trials trials = {0};

    if (add_sets(probe, &trials, sets)) {
        double started_s = clock_s();

        trials.stop_s = probe_stop(probe, share);
        trials_run(&trials, rounds_max, probe_until(probe, share));
        add_anchors(probe, &trials.trial[sets->local.trial[0]], started_s, clock_s());
        fill_sets(probe, sets, &trials);
        probe_look_at_walks(probe);
        look_at_other_mappings(probe);
    }
    trials_release(&trials);
    free(sets);
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

/* Offsets in a line: 0 and 8 belong to the chases of probe_memory.c; two dense chases can
 * meet in one region. */
enum {
    FIRST_PAGES = 128,
    MAX_PAGES = 16384,
    SPREAD_OFFSET = 16,
    DENSE_OFFSET = 24,
    DENSE_SAME_OFFSET = 32
};

static const int many_chains[PAGE_LANES] = {4, 8, 12, 16, 24, 32, 40};

/* Each count takes pages of its own: all of them together are some 4.5 times the largest.
 */
static void choose_counts(struct page_probe *pages, const struct region *region,
                          size_t page)
{
    double room = (double)(region->bytes / page) / 6, max = fmin(room, MAX_PAGES);

    for (size_t i = 0; i < PAGE_COUNTS; i++)
        pages->pages[i] =
            (size_t)(FIRST_PAGES * pow(max / FIRST_PAGES, (double)i / (PAGE_COUNTS - 1)));
}

static void build(struct page_probe *pages, const struct region *spread,
                  const struct region *dense, size_t page, size_t line)
{
    size_t page_at = 0, line_at = 0;
    bool same = spread->base == dense->base;

    for (size_t i = 0; i < PAGE_COUNTS; i++) {
        size_t nr = pages->pages[i];

        chase_build(&pages->spread[i],
                    &(struct chase_plan){.base = spread->base + page_at * page,
                                         .bytes = nr * page,
                                         .spacing = page,
                                         .offset = SPREAD_OFFSET,
                                         .line = line,
                                         .order = CHASE_PAGES,
                                         .seed = i + 1});
        chase_build(
            &pages->dense[i],
            &(struct chase_plan){.base = dense->base + line_at * line,
                                 .bytes = nr * line,
                                 .spacing = line,
                                 .offset = same ? DENSE_SAME_OFFSET : DENSE_OFFSET,
                                 .order = CHASE_RANDOM,
                                 .seed = i + 1});
        page_at += nr;
        line_at += nr;
    }
}

void page_probe_add(struct page_probe *pages, struct trials *trials,
                    const struct region *spread, const struct region *dense, size_t line)
{
    const double target_s = 0.3e-3;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    choose_counts(pages, spread, page);
    build(pages, spread, dense, page, line);
    for (size_t i = 0; i < PAGE_COUNTS; i++) {
        pages->spread_trial[i] = add_chase(trials, &pages->spread[i], 1, true, target_s);
        pages->dense_trial[i] = add_chase(trials, &pages->dense[i], 1, true, target_s);
    }
    for (size_t i = 0; i < PAGE_LANES; i++) {
        pages->spread_many[i] = add_chase(trials, &pages->spread[PAGE_COUNTS - 1],
                                          many_chains[i], true, target_s);
        pages->dense_many[i] = add_chase(trials, &pages->dense[PAGE_COUNTS - 1],
                                         many_chains[i], true, target_s);
    }
}

double tlb_reach(const size_t *pages, const double *extra_ns, size_t nr)
{
    double few = fmin(extra_ns[0], fmin(extra_ns[1], extra_ns[2])),
           many = extra_ns[nr - 1];
    double bar = (few + many) / 2;

    if (many < 2 * fmax(few, 0) || many - few < 2) /* less is no walk */
        return 0;
    for (size_t i = 1; i < nr; i++)
        if (extra_ns[i] > bar) {
            double share = (bar - extra_ns[i - 1]) / (extra_ns[i] - extra_ns[i - 1]);
            double low = (double)pages[i - 1], high = (double)pages[i];

            return round(low * pow(high / low, fmin(fmax(share, 0), 1)));
        }
    return 0;
}

void page_probe_read(const struct page_probe *pages, const struct trials *trials,
                     struct machine_pages *to)
{
    struct quantity spread = best_rate(trials, pages->spread_many, PAGE_LANES);
    struct quantity dense = best_rate(trials, pages->dense_many, PAGE_LANES);
    double extra_ns[PAGE_COUNTS];

    for (size_t i = 0; i < PAGE_COUNTS; i++)
        extra_ns[i] = trial_ns(trials, pages->spread_trial[i]).value -
                      trial_ns(trials, pages->dense_trial[i]).value;
    to->tlb_entries = tlb_reach(pages->pages, extra_ns, PAGE_COUNTS);
    if (to->tlb_entries <= 0) /* nothing walked */
        return;
    to->walks_per_s = spread;
    /* Where the lines themselves are nearly as slow, the walkers may have been idle in
     * between. */
    to->walks_is_floor = dense.value < 1.5 * spread.value;
}
