#include "core/metrics/roofline.h"

#include <math.h>

#include "core/machine/machine.h"

const char *roof_level_metric(enum roof_level level)
{
    static const char *const metric[] = {
#define X(name, metric, text) metric,
        ROOF_LEVEL_MAP(X)
#undef X
    };
    return metric[level];
}

const char *roof_level_text(enum roof_level level)
{
    static const char *const text[] = {
#define X(name, metric, text) text,
        ROOF_LEVEL_MAP(X)
#undef X
    };
    return text[level];
}

const char *roof_flops_key(enum roof_flops kind)
{
    static const char *const key[] = {
#define X(name, key, text) key,
        ROOF_FLOPS_MAP(X)
#undef X
    };
    return key[kind];
}

const char *roof_flops_text(enum roof_flops kind)
{
    static const char *const text[] = {
#define X(name, key, text) text,
        ROOF_FLOPS_MAP(X)
#undef X
    };
    return text[kind];
}

/* ---- roofs of a profile ---- */

static struct roof unknown_roof(const char *why)
{
    return (struct roof){quantity_unknown(), why};
}

static struct quantity min_of(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return quantity_unknown();
    struct quantity sum = quantity_add(a, b); /* for runs and provenance */
    return quantity_between(fmin(a.value, b.value), fmin(a.low, b.low),
                            fmin(a.high, b.high), sum.runs, sum.provenance);
}

/* Of so many cores: see roof_ceilings_of. */
static struct roof roof_of_cores(const struct machine *machine, int cores,
                                 struct quantity one, struct quantity all)
{
    if (cores == machine->cores && all.known)
        return (struct roof){all, "all cores together"};
    if (cores == 1 && one.known)
        return (struct roof){one, "one core"};
    if (cores > machine->cores)
        return unknown_roof("more cores worked than the profile has");
    struct quantity max = quantity_scale(one, cores);
    if (!max.known)
        return unknown_roof(all.known ? "the profile gives it for all cores only"
                                      : "the profile does not give it");
    if (!all.known)
        return (struct roof){max, "at most: one core times their number"};
    struct quantity share = quantity_scale(all, (double)cores / machine->cores);
    max = min_of(max, all);
    return (struct roof){quantity_between(max.value, fmin(max.low, share.low), max.high,
                                          max.runs, max.provenance),
                         "at most: one core times their number"};
}

/* Profiles of the quick characterisation lack rates of all cores together; a single core
 * is all of them. */
static struct roof level_roof(const struct machine *machine, int cores,
                              const struct machine_rates *one,
                              const struct machine_rates *all)
{
    struct roof triad = roof_of_cores(machine, cores, one->triad_gbs, all->triad_gbs);
    if (triad.value.known)
        return triad;
    struct roof copy = roof_of_cores(machine, cores, one->copy_gbs, all->copy_gbs);
    if (copy.value.known)
        return (struct roof){copy.value, "of a copy; the profile has no triad"};
    return triad;
}

static void find_slopes(const struct machine *machine, int cores,
                        struct roof_ceilings *ceilings)
{
    for (int i = ROOF_L1; i <= ROOF_L3; i++) {
        const struct machine_level *cache = machine_cache(machine, i + 1);
        ceilings->lacks[i] = !cache;
        ceilings->gbs[i] =
            cache ? level_roof(machine, cores, &cache->one_core, &cache->all_cores)
                  : unknown_roof("the machine has no such cache");
    }
    ceilings->gbs[ROOF_MEMORY] =
        level_roof(machine, cores, &machine->one_core, &machine->all_cores);
}

/* Of the mixes that were measured the one whose share of reads is nearest: reads alone,
 * or a copy with the lines that it reads before it writes them. */
static struct roof node_roof(const struct machine *machine, const struct roof_ask *ask,
                             int cores)
{
    double factor = machine->store_read_factor, copy_reads = (1 + factor) / (2 + factor);
    if (ask->read_share > (1 + copy_reads) / 2) {
        struct quantity all = machine->node_read_gbs.known ? machine->node_read_gbs
                                                           : machine->all_cores.read_gbs;
        struct roof read = roof_of_cores(machine, cores, machine->one_core.read_gbs, all);
        if (read.value.known)
            return (struct roof){read.value, "reads alone"};
    }
    struct quantity one = quantity_scale(machine->one_core.copy_gbs, (2 + factor) / 2);
    struct roof copy = roof_of_cores(machine, cores, one, machine->node_copy_gbs);
    if (copy.value.known)
        return (struct roof){copy.value, "a copy, with the lines that it reads first"};
    struct roof triad = roof_of_cores(
        machine, cores, quantity_scale(machine->one_core.triad_gbs, (3 + factor) / 3),
        quantity_scale(machine->all_cores.triad_gbs, (3 + factor) / 3));
    if (triad.value.known)
        triad.from = "a triad, with the lines that it reads first";
    return triad;
}

/* The time that flops take at their roofs adds up. */
static struct quantity mixed(struct quantity in_double, struct quantity in_single,
                             double single_share)
{
    if (single_share <= 0)
        return in_double;
    if (single_share >= 1)
        return in_single;
    struct quantity one = quantity_exact(1, in_double.provenance);
    return quantity_divide(
        one,
        quantity_add(quantity_divide(quantity_scale(one, 1 - single_share), in_double),
                     quantity_divide(quantity_scale(one, single_share), in_single)));
}

static struct quantity flops_of_kind(const struct machine_flops *flops,
                                     enum roof_flops kind)
{
    return kind == ROOF_SCALAR ? flops->scalar
           : kind == ROOF_SIMD ? flops->simd
                               : flops->fma;
}

/* The rate of one element at a time is one only where vectors are that much faster. */
static void check_scalar(const struct machine *machine, double single_share,
                         struct roof_ceilings *ceilings)
{
    struct roof *scalar = &ceilings->flops[ROOF_SCALAR];
    double elements = machine->simd_bytes / 8.0 * (1 + single_share);
    struct quantity faster =
        quantity_divide(ceilings->flops[ROOF_FMA].value, scalar->value);
    if (scalar->value.known && faster.known && elements > 0 &&
        faster.value < ROOF_SCALAR_MIN * elements)
        *scalar = unknown_roof("vectors are hardly faster, so that it cannot be of one "
                               "element at a time");
}

void roof_ceilings_of(const struct machine *machine, const struct roof_ask *ask,
                      struct roof_ceilings *ceilings)
{
    int cores = ask->cores > 0 ? ask->cores : machine->cores;
    *ceilings = (struct roof_ceilings){.cores = cores};
    find_slopes(machine, cores, ceilings);
    ceilings->node = node_roof(machine, ask, cores);
    for (int i = 0; i < ROOF_FLOPS; i++)
        ceilings->flops[i] = roof_of_cores(
            machine, cores,
            mixed(flops_of_kind(&machine->flops_double, i),
                  flops_of_kind(&machine->flops_single, i), ask->single_share),
            mixed(flops_of_kind(&machine->all_flops_double, i),
                  flops_of_kind(&machine->all_flops_single, i), ask->single_share));
    check_scalar(machine, ask->single_share, ceilings);
}

/* ---- a program under them ---- */

static struct quantity peak_of(const struct roof_ceilings *ceilings)
{
    struct quantity peak = quantity_unknown();
    for (int i = 0; i < ROOF_FLOPS; i++) {
        struct quantity roof = ceilings->flops[i].value;
        if (roof.known && (!peak.known || roof.value > peak.value))
            peak = roof;
    }
    return peak;
}

static struct quantity giga(struct quantity rate)
{
    return quantity_scale(rate, 1e-9);
}

static struct quantity under(struct quantity peak, struct quantity ai,
                             struct quantity roof_gbs)
{
    return min_of(peak, quantity_multiply(ai, quantity_scale(roof_gbs, 1e9)));
}

/* Over: flop/s over AI x roof is the bandwidth of L1's bytes over the roof; so flops,
 * which are in both, blur nothing. */
static void stand_at(const struct roof_work *work, const struct roof_ceilings *ceilings,
                     struct roofline *roofline, enum roof_level level)
{
    struct roof_stand *stand = &roofline->level[level];
    struct quantity slope = ceilings->gbs[level].value;
    struct quantity ls = giga(quantity_divide(work->bytes[ROOF_L1], work->seconds));
    stand->gbs = giga(quantity_divide(work->bytes[level], work->seconds));
    stand->share =
        quantity_divide(stand->gbs, level == ROOF_MEMORY ? ceilings->node.value : slope);
    stand->attainable = under(roofline->peak, roofline->ai, slope);
    stand->over = work->flops.known ? quantity_divide(ls, slope) : quantity_unknown();
    stand->ridge = quantity_divide(giga(roofline->peak), slope);
}

static void find_lines(const struct roof_work *work, int cores, struct roofline *roofline)
{
    struct quantity gbs = roofline->level[ROOF_MEMORY].gbs;
    roofline->lines_100ns = work->line_bytes > 0 && cores > 0
                                ? quantity_scale(gbs, 100.0 / work->line_bytes / cores)
                                : quantity_unknown();
    roofline->lines =
        quantity_scale(quantity_multiply(roofline->lines_100ns, work->latency_ns), 0.01);
}

struct quantity roofline_nearest_share(const struct roofline *roofline)
{
    return roofline->nearest < ROOF_LEVELS
               ? roofline->level[roofline->nearest].share
               : quantity_divide(roofline->flops_per_s, roofline->peak);
}

static enum roof_verdict verdict_of(double share)
{
    return share >= ROOF_AT     ? ROOF_VERDICT_AT
           : share >= ROOF_NEAR ? ROOF_VERDICT_NEAR
                                : ROOF_VERDICT_FAR;
}

static void judge(struct roofline *roofline)
{
    struct quantity max = quantity_unknown();
    struct roofline try = *roofline;
    for (int i = 0; i <= ROOF_LEVELS; i++) {
        try.nearest = i;
        struct quantity share = roofline_nearest_share(&try);
        if (!share.known || (max.known && share.value <= max.value))
            continue;
        max = share;
        roofline->nearest = i;
    }
    if (!max.known)
        return;
    roofline->verdict = verdict_of(max.value);
    roofline->sure = verdict_of(max.low) == verdict_of(max.high);
}

void roofline_of(const struct roof_work *work, const struct roof_ceilings *ceilings,
                 struct roofline *roofline)
{
    *roofline = (struct roofline){
        .flops_per_s = quantity_divide(work->flops, work->seconds),
        .ai = quantity_divide(work->flops, work->bytes[ROOF_L1]),
        .ai_memory = quantity_divide(work->flops, work->bytes[ROOF_MEMORY]),
        .peak = peak_of(ceilings)};
    for (int i = 0; i < ROOF_LEVELS; i++)
        stand_at(work, ceilings, roofline, i);
    roofline->memory_attainable =
        under(roofline->peak, roofline->ai_memory, ceilings->node.value);
    for (int i = 0; i < ROOF_FLOPS; i++)
        roofline->flops_share[i] =
            quantity_divide(roofline->flops_per_s, ceilings->flops[i].value);
    find_lines(work, ceilings->cores, roofline);
    judge(roofline);
}
