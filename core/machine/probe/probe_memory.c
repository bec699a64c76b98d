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
#include "core/process/term.h"

enum { ALONE_MAX = 8, MAPPINGS_MAX = 4 };

/* How page tables lie decides what a walk costs: of fresh mappings on one guest within a
 * minute the costs scatter by 13 % on huge pages and by 27 % on small ones. */
static const double mappings_scatter = 0.2;

static const int chain_choices[] = {1, 8, 12, 16, 20, 24, 28, 32, 40, 48};

/* A chase and its trials; trial[0] has one lane. */
struct chain_set {
    struct chase chase;
    size_t trial[CHASE_CHAINS_MAX], trial_nr;
};

/* One page size. */
struct page_set {
    struct chain_set random;
    double mapping_ns[MAPPINGS_MAX]; /* of one chase alone, for each mapping */
    size_t mapping_nr, sample_nr;
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

/* Nanoseconds a step, NaN when other processes got in between all the time. Short parts:
 * where others run, a turn lasts some milliseconds. */
static double walk_ns(struct chase *chase, size_t steps)
{
    enum { PARTS = 8 };
    double part_ns[PARTS];
    size_t nr = 0;

    for (int i = 0; i < PARTS; i++) {
        struct watch start = watch_now(), end;

        chase_run(chase, 1, steps / PARTS);
        end = watch_now();
        if (!watch_was_disturbed(&start, &end))
            part_ns[nr++] = (end.wall_s - start.wall_s) / (double)(steps / PARTS) * 1e9;
    }
    return nr >= PARTS / 4 ? median_sorting(part_ns, nr) : NAN;
}

/* NaN where other processes disturbed all tries; none is begun after end_s but the first.
 */
static double sample_translation(struct chase *random, struct chase *local,
                                 size_t lead_steps, double end_s)
{
    const size_t steps = 32768;
    const int tries_max = 3;
    double extra_ns = NAN;

    for (int i = 0; isnan(extra_ns) && (!i || (i < tries_max && clock_s() < end_s));
         i++) {
        double random_ns;

        chase_run(random, 1, lead_steps);
        random_ns = walk_ns(random, steps);
        chase_run(local, 1, steps / 8);
        extra_ns = random_ns - walk_ns(local, steps);
    }
    return extra_ns;
}

/*
 * How much longer a fully random step takes than a block-local one, each chase alone, in
 * one mapping. Many lanes bring the page tables into the caches, and a walk right behind
 * them is too cheap: in a guest with 1 GiB of 4 KiB pages a step rose from 172 to 215-240
 * ns within the first 200 000 to 300 000. These meet each line of the guest's page tables
 * (8 entries) about nine times; then reuse and eviction balance.
 */
static void sample_mapping(struct page_set *set, struct chase *random,
                           struct chase *local, size_t samples, double end_s)
{
    const size_t first = 300000, later = 60000;
    double ns[ALONE_MAX];
    size_t nr = 0;

    for (size_t i = 0; i < samples && i < ALONE_MAX && (!i || clock_s() < end_s); i++) {
        ns[nr] = sample_translation(random, local, i ? later : first, end_s);
        nr += !isnan(ns[nr]);
    }
    if (nr && set->mapping_nr < MAPPINGS_MAX)
        set->mapping_ns[set->mapping_nr++] = median_sorting(ns, nr);
    set->sample_nr += nr;
}

/* Another mapping of such pages. Where there is no memory for it, or no time, the first
 * one stands alone. */
static void sample_elsewhere(struct probe *probe, struct page_set *set,
                             struct chase *local, bool huge, size_t samples, double end_s)
{
    size_t bytes = PROBE_RANDOM_BYTES;
    struct region region = {0};
    struct chain_set random;

    if (memory_available_bytes() < 2.0 * PROBE_RANDOM_BYTES || clock_s() >= end_s ||
        region_map(&region, bytes, huge, NULL))
        return;
    chase_build(&random.chase, &(struct chase_plan){.base = region.base,
                                                    .bytes = region.bytes,
                                                    .spacing = random_spacing(probe),
                                                    .order = CHASE_RANDOM,
                                                    .seed = set->mapping_nr + 1});
    sample_mapping(set, &random.chase, local, samples, end_s);
    region_release(&region);
}

/* Each mapping is one sample. */
static struct quantity translation_of(const struct page_set *set)
{
    size_t nr = set->mapping_nr;
    const double *ns = set->mapping_ns;
    double value, squares = 0, mean = 0, error, low;

    if (!nr)
        return quantity_unknown();
    value = samples_at(ns, nr, 0.5);
    for (size_t i = 0; i < nr; i++)
        mean += ns[i] / (double)nr;
    for (size_t i = 0; i < nr; i++)
        squares += (ns[i] - mean) * (ns[i] - mean);
    error = samples_error(value, nr > 1 ? sqrt(squares / (double)(nr - 1)) : 0, nr,
                          mappings_scatter);
    low = fmin(samples_at(ns, nr, 0), fmax(value - error, 0)); /* no walk takes less */
    return quantity_between(value, low, fmax(samples_at(ns, nr, 1), value + error),
                            set->sample_nr, PROVENANCE_PROBE);
}

static void fill_pages(struct machine_pages *to, const struct trials *trials,
                       const struct page_set *set)
{
    to->translation_ns = translation_of(set);
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
static bool add_sets(struct probe *probe, struct trials *trials, struct memory_sets *sets,
                     struct region *small)
{
    size_t bytes =
        probe->huge.bytes < PROBE_RANDOM_BYTES ? probe->huge.bytes : PROBE_RANDOM_BYTES;

    sets->local.chase = probe->chaser;
    add_chains(trials, &sets->local, !probe->quick); /* bursts tell more, and sooner */
    if (!probe->machine->huge_pages_available) {
        add_set(probe, trials, &sets->small, &probe->huge);
        return true;
    }
    if (probe_map(small, &bytes, false, &probe->err))
        return false;
    add_set(probe, trials, &sets->small, small);
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
    if (!machine->small_pages.translation_ns.known ||
        (huge && !machine->huge_pages.translation_ns.known))
        probe_note(probe, "what a page walk costs could not be measured on all pages: "
                          "other processes kept running on the core");
    find_knee(probe, trials, &sets->local);
    machine->one_core.random_lines_per_s =
        best_rate(trials, sets->local.trial, sets->local.trial_nr);
    probe->chaser = sets->local.chase;
    probe->random_chaser = (huge ? &sets->huge : &sets->small)->random.chase;
}

static void sample_translations(struct probe *probe, struct memory_sets *sets,
                                bool elsewhere)
{
    const size_t samples = probe->quick ? 3 : ALONE_MAX;
    const double end_s = probe_until(probe, 0.1);
    struct chase *local = &sets->local.chase;

    if (probe->crowded)
        return;
    if (elsewhere)
        sample_elsewhere(probe, &sets->small, local, false, samples, end_s);
    else
        sample_mapping(&sets->small, &sets->small.random.chase, local, samples, end_s);
    if (!probe->machine->huge_pages_available)
        return;
    if (elsewhere)
        sample_elsewhere(probe, &sets->huge, local, true, samples, end_s);
    else
        sample_mapping(&sets->huge, &sets->huge.random.chase, local, samples, end_s);
}

static void measure(struct probe *probe)
{
    const size_t rounds_max = 400; /* the time ends it before, as a rule */
    const double share = probe->quick ? 0.12 : 0.23;
    struct memory_sets *sets = xcalloc(1, sizeof(*sets));
    struct region small = {0};
    struct trials trials = {0};

    if (add_sets(probe, &trials, sets, &small)) {
        double started_s;

        sample_translations(probe, sets, false);
        trials.stop_s = probe_stop(probe, share);
        started_s = clock_s();
        trials_run(&trials, rounds_max, probe_until(probe, share));
        add_anchors(probe, &trials.trial[sets->local.trial[0]], started_s, clock_s());
        region_release(&small);
        for (size_t i = 1; i < (probe->quick ? 2 : MAPPINGS_MAX); i++)
            sample_translations(probe, sets, true);
        fill_sets(probe, sets, &trials);
    }
    region_release(&small);
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
