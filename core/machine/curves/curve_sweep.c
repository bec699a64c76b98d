#include "core/machine/curves/curve_sweep.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/random.h"
#include "core/machine/curves/curve_fit.h"
#include "core/machine/sampling/pointer_chase.h"
#include "core/machine/sampling/trial.h"

/* Around twice the unloaded latency, from where on Mess (MICRO 2024) calls a memory
 * saturated. Straight lines between them miss the bandwidth of a queue's (M/D/1) curve by
 * at most 3 %, and by 5 % where it is still flat. */
const double sweep_target[SWEEP_TARGETS] = {1.1, 1.25, 1.5, 1.75, 2, 3};

/* TRIES for an undisturbed window. AROUND: rounds on each side for the running median;
 * neighbours' busy spells are shorter, drift is longer. */
enum { TRIES = 8, AROUND = 12 };
static const double crowded = 0.15; /* above what medians of windows scatter when quiet */

double sweep_load(const struct sweep_setting *setting)
{
    return (double)setting->generators / (1 + setting->idle);
}

static void add_series(struct sweep *sweep, struct sweep_setting setting)
{
    GROW(sweep->series, sweep->series_nr + 1, sweep->series_alloc);
    sweep->series[sweep->series_nr++] = (struct sweep_series){.setting = setting};
}

static void add_coarse(struct sweep *sweep, const struct sweep_plan *plan, size_t mix)
{
    static const double idle[] = {7, 3, 1};

    for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
        add_series(sweep, (struct sweep_setting){mix, 1, idle[i]});
    for (size_t nr = 1; nr < plan->generators; nr *= 2)
        add_series(sweep, (struct sweep_setting){mix, nr, 0});
    add_series(sweep, (struct sweep_setting){mix, plan->generators, 0});
}

static bool is_over(const struct sweep_plan *plan, const struct sweep_source *source)
{
    return plan->stop_s > 0 && source->now_s(source->self) >= plan->stop_s;
}

/* Nothing is tried again when the time is up. */
static void measure(struct sweep *sweep, size_t index, const struct sweep_plan *plan,
                    const struct sweep_source *source)
{
    struct sweep_series *series = &sweep->series[index];
    struct sweep_sample sample = {.round = sweep->round_nr};

    for (int tries = 0; tries < TRIES && (!tries || !is_over(plan, source)); tries++)
        if (source->window(source->self, &series->setting, &sample.gbs,
                           &sample.latency_ns)) {
            GROW(series->sample, series->sample_nr + 1, series->sample_alloc);
            series->sample[series->sample_nr++] = sample;
            return;
        }
}

static void run_round(struct sweep *sweep, const struct sweep_plan *plan,
                      const struct sweep_source *source, uint64_t *random)
{
    size_t nr = sweep->series_nr, *order = xcalloc(nr, sizeof(*order));

    for (size_t i = 0; i < nr; i++) { /* Fisher-Yates, from the inside out */
        size_t j = (size_t)(random_next(random) % (i + 1));

        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < nr; i++)
        measure(sweep, order[i], plan, source);
    sweep->round_nr++;
    free(order);
}

/* The unloaded latency of each round, NaN where it is missing. Caller frees. */
static double *baselines(const struct sweep *sweep)
{
    double *baseline_ns = xcalloc(sweep->round_nr + 1, sizeof(*baseline_ns));
    const struct sweep_series *unloaded = &sweep->series[0];

    for (size_t i = 0; i < sweep->round_nr; i++)
        baseline_ns[i] = NAN;
    for (size_t i = 0; i < unloaded->sample_nr; i++)
        baseline_ns[unloaded->sample[i].round] = unloaded->sample[i].latency_ns;
    return baseline_ns;
}

static double running_median(const double *baseline_ns, size_t nr, size_t at)
{
    double near[2 * AROUND + 1];
    size_t first = at < AROUND ? 0 : at - AROUND, found = 0;

    for (size_t i = first; i < nr && i <= at + AROUND; i++)
        if (!isnan(baseline_ns[i]))
            near[found++] = baseline_ns[i];
    return samples_quantity(near, found).value;
}

size_t sweep_rounds(const struct sweep *sweep, bool *kept)
{
    double *baseline_ns = baselines(sweep);
    size_t nr = 0;

    for (size_t i = 0; i < sweep->round_nr; i++) {
        double usual = running_median(baseline_ns, sweep->round_nr, i);

        kept[i] = fabs(baseline_ns[i] - usual) <= crowded * usual; /* false for NaN */
        nr += kept[i];
    }
    free(baseline_ns);
    return nr;
}

/* What holds for all settings while they are summed up. */
struct summary {
    const struct sweep *sweep;
    double *baseline_ns;
    bool *kept;
    struct quantity unloaded_ns;
};

static bool sum_up(const struct summary *summary, size_t index, struct fit_point *point)
{
    const struct sweep_series *series = &summary->sweep->series[index];
    double *gbs = xcalloc(2 * series->sample_nr + 1, sizeof(*gbs)),
           *ratio = gbs + series->sample_nr;
    size_t nr = 0;

    for (size_t i = 0; i < series->sample_nr; i++) {
        const struct sweep_sample *sample = &series->sample[i];

        if (!summary->kept[sample->round])
            continue;
        gbs[nr] = sample->gbs;
        ratio[nr++] = sample->latency_ns / summary->baseline_ns[sample->round];
    }
    *point = (struct fit_point){
        .load = sweep_load(&series->setting),
        .gbs = samples_quantity(gbs, nr),
        .latency_ns = index == 0 ? summary->unloaded_ns
                                 : quantity_scale(samples_quantity(ratio, nr),
                                                  summary->unloaded_ns.value)};
    free(gbs);
    return nr >= SWEEP_RUNS_MIN;
}

static struct quantity unloaded_ns(const struct summary *summary)
{
    double *sample = xcalloc(summary->sweep->round_nr + 1, sizeof(*sample));
    struct quantity result;
    size_t nr = 0;

    for (size_t i = 0; i < summary->sweep->round_nr; i++)
        if (summary->kept[i])
            sample[nr++] = summary->baseline_ns[i];
    result = samples_quantity(sample, nr);
    free(sample);
    return result;
}

static struct summary summary_of(const struct sweep *sweep)
{
    struct summary summary = {.sweep = sweep,
                              .baseline_ns = baselines(sweep),
                              .kept = xcalloc(sweep->round_nr + 1, sizeof(bool))};

    sweep_rounds(sweep, summary.kept);
    summary.unloaded_ns = unloaded_ns(&summary);
    return summary;
}

static void summary_release(struct summary *summary)
{
    free(summary->baseline_ns);
    free(summary->kept);
}

/* The unloaded setting, which comes first, and those of the mix that have enough rounds.
 * Nothing without the unloaded one. Caller frees. */
static struct fit_point *points_of(const struct sweep *sweep, size_t mix, size_t *nr)
{
    struct fit_point *point = xcalloc(sweep->series_nr, sizeof(*point));
    struct summary summary = summary_of(sweep);

    *nr = 0;
    if (sum_up(&summary, 0, &point[0]))
        for (size_t i = *nr = 1; i < sweep->series_nr; i++)
            if (sweep->series[i].setting.mix == mix && sum_up(&summary, i, &point[*nr]))
                ++*nr;
    summary_release(&summary);
    return point;
}

void sweep_curve(const struct sweep *sweep, size_t mix, struct machine_curve *curve)
{
    size_t nr;
    struct fit_point *point = points_of(sweep, mix, &nr);

    curve->ceiling_gbs = quantity_unknown();
    if (nr)
        curve_fit(point, nr, curve);
    free(point);
}

/* The load halfway, by ratio, between the least one whose latency reaches the target and
 * the next below it; 0 = no load reaches it, or one is near enough. */
static double halfway(const struct fit_point *point, size_t nr, double target_ns)
{
    const double near_enough = 0.05;
    double above = INFINITY, below = 0;

    for (size_t i = 1; i < nr; i++) {
        double latency_ns = point[i].latency_ns.value;

        if (fabs(latency_ns - target_ns) <= near_enough * target_ns)
            return 0;
        if (latency_ns >= target_ns)
            above = fmin(above, point[i].load);
    }
    for (size_t i = 1; i < nr; i++)
        if (point[i].load < above)
            below = fmax(below, point[i].load);
    if (isinf(above) || below * (1 + near_enough) > above)
        return 0;
    return below > 0 ? sqrt(below * above) : above / 2;
}

/* As many generators as it takes, all with the same pauses. */
static void add_load(struct sweep *sweep, size_t mix, double load)
{
    struct sweep_setting setting = {.mix = mix, .generators = (size_t)ceil(load)};

    for (size_t i = 1; i < sweep->series_nr; i++)
        if (sweep->series[i].setting.mix == mix &&
            fabs(sweep_load(&sweep->series[i].setting) / load - 1) < 0.01)
            return;
    setting.idle = (double)setting.generators / load - 1;
    add_series(sweep, setting);
}

static void bisect(struct sweep *sweep, size_t mix)
{
    size_t nr;
    struct fit_point *point = points_of(sweep, mix, &nr);

    for (size_t i = 0; i < SWEEP_TARGETS && nr; i++) {
        double load = halfway(point, nr, sweep_target[i] * point[0].latency_ns.value);

        if (load > 0)
            add_load(sweep, mix, load);
    }
    free(point);
}

static void run_rounds(struct sweep *sweep, const struct sweep_plan *plan,
                       const struct sweep_source *source, uint64_t *random, size_t nr)
{
    while (nr-- && (!sweep->round_nr || !is_over(plan, source)))
        run_round(sweep, plan, source, random);
}

void sweep_run(const struct sweep_plan *plan, const struct sweep_source *source,
               struct sweep *sweep)
{
    double end_s = source->now_s(source->self) + plan->seconds;
    uint64_t random = plan->seed;

    add_series(sweep, (struct sweep_setting){0});
    for (size_t mix = 0; mix < plan->mix_nr && plan->generators; mix++)
        add_coarse(sweep, plan, mix);
    run_rounds(sweep, plan, source, &random, plan->rounds_min);
    for (size_t i = 0; i < plan->finer && source->now_s(source->self) < end_s; i++) {
        size_t before = sweep->series_nr;

        for (size_t mix = 0; mix < plan->mix_nr; mix++)
            bisect(sweep, mix);
        if (sweep->series_nr == before)
            break;
        run_rounds(sweep, plan, source, &random, plan->rounds_min);
    }
    while (sweep->round_nr < plan->rounds_max && source->now_s(source->self) < end_s)
        run_round(sweep, plan, source, &random);
}

void sweep_release(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->series_nr; i++)
        free(sweep->series[i].sample);
    free(sweep->series);
    *sweep = (struct sweep){0};
}
