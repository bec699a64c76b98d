/*
 * The sweep against a simulated memory: a closed network of generators, each with a fixed
 * number of lines in flight while it does not pause, and one server whose latency at a
 * bandwidth is known (M/D/1: the mean wait is S u / (2 (1 - u))). By Little's law
 * bandwidth x latency = lines in flight x line. On top come noise, drift, neighbours and
 * disturbed windows; no real time, no real memory.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/random.h"
#include "core/machine/curves/curve_sweep.h"
#include "core/machine/sampling/pointer_chase.h"
#include "tests/check.h"

SUITE(machine_sweep);

enum { MIXES = 3 };
static const double unloaded = 100, service = 20, line = 64;
static const double capacity_gbs[MIXES] = {200, 160, 120};

struct simulation {
    double lines;          /* in flight of one generator */
    double bend;           /* share of the bandwidth lost far beyond saturation */
    double noise;          /* relative, of latencies; half of it of bandwidths */
    double drift_s;        /* until all latencies are 1.5 times higher; 0 = never */
    double neighbours_gbs; /* for 0.15 s of each second */
    double disturbed;      /* share of the windows */
    size_t dead_mix; /* all windows of this mix (from 1 on) are disturbed; 0 = none */
    double now_s;
    size_t windows;
    uint64_t random;
};

/* What a load gives when nothing disturbs. */
struct truth {
    double gbs, latency_ns;
};

static double true_latency(size_t mix, double gbs)
{
    double u = gbs / capacity_gbs[mix];

    return unloaded + service * u / (2 * (1 - u));
}

static struct truth settle(size_t mix, double in_flight, double neighbours, double slower)
{
    double low = 0, high = capacity_gbs[mix] - neighbours;

    for (int i = 0; i < 100; i++) {
        double gbs = (low + high) / 2;

        if (gbs * slower * true_latency(mix, gbs + neighbours) < in_flight * line)
            low = gbs;
        else
            high = gbs;
    }
    return (struct truth){low, in_flight * line / low};
}

/* From 97 % of the capacity on, more lines in flight bring less. */
static struct truth bent(const struct simulation *sim, size_t mix, struct truth straight)
{
    double knee = 0.97 * capacity_gbs[mix];
    double in_flight = straight.gbs * straight.latency_ns,
           max = knee * true_latency(mix, knee);

    if (in_flight > max)
        straight.gbs *= 1 - sim->bend * (1 - max / in_flight);
    straight.latency_ns = in_flight / straight.gbs;
    return straight;
}

/* Short bursts do not get the prefetchers going. */
static double in_flight_of(const struct simulation *sim,
                           const struct sweep_setting *setting)
{
    double pauses = setting->idle / (1 + setting->idle);

    return 1 + sim->lines * sweep_load(setting) * (1 - 0.4 * pauses);
}

static struct truth truth_of(const struct simulation *sim,
                             const struct sweep_setting *setting)
{
    return bent(sim, setting->mix,
                settle(setting->mix, in_flight_of(sim, setting), 0, 1));
}

static double uniform(struct simulation *sim)
{
    return (double)(random_next(&sim->random) >> 11) * 0x1p-53;
}

/* About normal: mean 0, deviation 1. */
static double normal(struct simulation *sim)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += uniform(sim);
    return sum;
}

static bool window(void *self, const struct sweep_setting *setting, double *gbs,
                   double *latency_ns)
{
    struct simulation *sim = self;
    double slower = sim->drift_s > 0 ? 1 + 0.5 * sim->now_s / sim->drift_s : 1;
    double neighbours = fmod(sim->now_s, 1) > 0.85 ? sim->neighbours_gbs : 0;
    struct truth truth =
        bent(sim, setting->mix,
             settle(setting->mix, in_flight_of(sim, setting), neighbours, slower));

    sim->now_s += 3e-3;
    sim->windows++;
    *gbs = truth.gbs * (1 + sim->noise / 2 * normal(sim));
    *latency_ns = truth.latency_ns * (1 + sim->noise * normal(sim));
    if (uniform(sim) >= sim->disturbed && setting->mix + 1 != sim->dead_mix)
        return true;
    *gbs = 1;
    *latency_ns *= 7;
    return false;
}

static double now_s(void *self)
{
    return ((struct simulation *)self)->now_s;
}

static struct simulation quiet(void)
{
    return (struct simulation){.lines = 40, .noise = 0.02, .random = 7};
}

static struct sweep_plan plan_for(size_t cores)
{
    return (struct sweep_plan){.mix_nr = MIXES,
                               .generators = cores - 1,
                               .finer = 4,
                               .rounds_min = 5,
                               .rounds_max = 60,
                               .seconds = 20,
                               .seed = 3};
}

static struct sweep measured(struct simulation *sim, const struct sweep_plan *plan)
{
    struct sweep sweep = {0};

    sweep_run(plan, &(struct sweep_source){window, now_s, sim}, &sweep);
    return sweep;
}

static struct machine_curve curve_of(const struct sweep *sweep, size_t mix)
{
    struct machine_curve curve = {.read_share = 1};

    sweep_curve(sweep, mix, &curve);
    for (size_t i = 1; i < curve.point_nr; i++) {
        const struct machine_point *point = &curve.point[i], *before = point - 1;

        check(point->gbs > before->gbs);
        check(point->gbs_low <= point->gbs && point->gbs <= point->gbs_high);
        check(point->latency_ns.value >= before->latency_ns.value);
        check(point->latency_ns.low >= before->latency_ns.low);
        check_eq(point->latency_ns.provenance, PROVENANCE_PROBE);
        check(point->latency_ns.runs >= 3);
    }
    return curve;
}

static struct quantity read_curve(struct machine_curve *curve, double gbs)
{
    return machine_latency_ns(&(struct machine){.curve = curve, .curve_nr = 1}, gbs, 1);
}

static struct machine_point end_of(const struct machine_curve *curve)
{
    return curve->point[curve->point_nr - 1];
}

/* In times of the unloaded latency, up to a share of the capacity. */
static void check_ratios(struct machine_curve *curve, size_t mix, double up_to,
                         double tolerance)
{
    double first = curve->point[0].latency_ns.value;

    for (double u = 0.05; u <= up_to; u += 0.05) {
        double gbs = u * capacity_gbs[mix];
        struct quantity latency = read_curve(curve, gbs);

        check(latency.known);
        check_near(latency.value / first, true_latency(mix, gbs) / unloaded, tolerance);
    }
}

/* Where the curve is steep its latencies say little: the bandwidth at which it passes
 * them is what must be right. */
static double passes_at(struct machine_curve *curve, double latency_ns)
{
    double low = 0, high = end_of(curve).gbs;

    for (int i = 0; i < 60; i++) {
        double gbs = (low + high) / 2;

        if (read_curve(curve, gbs).value < latency_ns)
            low = gbs;
        else
            high = gbs;
    }
    return low;
}

TEST("many cores: the whole curve")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(64);
    struct sweep sweep = measured(&sim, &plan);

    for (size_t mix = 0; mix < MIXES; mix++) {
        struct machine_curve curve = curve_of(&sweep, mix);

        check_near(curve.point[0].latency_ns.value, unloaded, 0.01);
        check_ratios(&curve, mix, 0.85, 0.06);
        for (double rise = 1.3; rise <= 2.5; rise += 0.1) {
            double wait = (rise - 1) * unloaded / service; /* u / (2 (1 - u)) */
            double u = 2 * wait / (1 + 2 * wait);

            check_near(passes_at(&curve, rise * unloaded), u * capacity_gbs[mix], 0.04);
        }
        check(!read_curve(&curve, end_of(&curve).gbs * 1.001).known);
        free(curve.point);
    }
    sweep_release(&sweep);
}

TEST("saturation gives the ceiling")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(64);
    struct sweep sweep = measured(&sim, &plan);

    for (size_t mix = 0; mix < MIXES; mix++) {
        struct truth max =
            truth_of(&sim, &(struct sweep_setting){.mix = mix, .generators = 63});
        struct machine_curve curve = curve_of(&sweep, mix);

        check(curve.ceiling_gbs.known);
        check_near(curve.ceiling_gbs.value, max.gbs, 0.015);
        check(curve.ceiling_gbs.low <= max.gbs && max.gbs <= curve.ceiling_gbs.high);
        check_near(end_of(&curve).gbs, max.gbs, 0.015);
        check(end_of(&curve).latency_ns.high >= max.latency_ns);
        free(curve.point);
    }
    sweep_release(&sweep);
}

TEST("points lie near the targets")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(64);
    struct sweep sweep = measured(&sim, &plan);

    for (size_t mix = 0; mix < MIXES; mix++)
        for (size_t t = 0; t < SWEEP_TARGETS; t++) {
            double target_ns = sweep_target[t] * unloaded, nearest = INFINITY;

            for (size_t i = 1; i < sweep.series_nr; i++)
                if (sweep.series[i].setting.mix == mix)
                    nearest =
                        fmin(nearest,
                             fabs(truth_of(&sim, &sweep.series[i].setting).latency_ns -
                                  target_ns));
            check(nearest <= 0.07 * target_ns); /* 5 % and noise */
        }
    sweep_release(&sweep);
}

TEST("two cores see the flat part")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(2);
    struct sweep sweep = measured(&sim, &plan);

    check_eq(sweep.series_nr, 1 + 4 * MIXES); /* no target within reach: none finer */
    for (size_t mix = 0; mix < MIXES; mix++) {
        struct truth max =
            truth_of(&sim, &(struct sweep_setting){.mix = mix, .generators = 1});
        struct machine_curve curve = curve_of(&sweep, mix);

        check(!curve.ceiling_gbs.known);
        check_near(end_of(&curve).gbs, max.gbs, 0.01);
        check_near(end_of(&curve).latency_ns.value, max.latency_ns, 0.015);
        check(!read_curve(&curve, 1.02 * max.gbs).known);
        free(curve.point);
    }
    sweep_release(&sweep);
}

TEST("one core sees the unloaded latency")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(1);
    struct sweep sweep = measured(&sim, &plan);
    struct machine_curve curve = curve_of(&sweep, 0);

    check_eq(sweep.series_nr, 1);
    check_eq(curve.point_nr, 1);
    check_near(curve.point[0].latency_ns.value, unloaded, 0.01);
    check(!curve.ceiling_gbs.known);
    free(curve.point);
    sweep_release(&sweep);
}

TEST("hundreds of cores need few settings")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(512);
    struct sweep sweep = measured(&sim, &plan);

    check(sweep.series_nr <= 1 + MIXES * (3 + 10 + SWEEP_TARGETS * plan.finer));
    sweep_release(&sweep);
}

TEST("drift stays out of ratios")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(64);
    struct sweep sweep;

    sim.drift_s = 8;
    sweep = measured(&sim, &plan);
    check(sim.now_s >= sim.drift_s);
    for (size_t mix = 0; mix < MIXES; mix++) {
        struct machine_curve curve = curve_of(&sweep, mix);
        struct quantity first = curve.point[0].latency_ns;

        check_ratios(&curve, mix, 0.85, 0.06);
        check(first.high > 1.12 * first.low); /* the first point has it */
        check(curve.point[1].latency_ns.high < 1.08 * curve.point[1].latency_ns.low);
        free(curve.point);
    }
    sweep_release(&sweep);
}

TEST("crowded rounds are dropped")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(64);
    struct machine_curve curve;
    struct sweep sweep;
    bool *kept;
    size_t kept_nr;

    plan.mix_nr = 1;
    sim.neighbours_gbs = 185; /* unloaded latency rises to 2.2 times */
    sweep = measured(&sim, &plan);
    kept = xcalloc(sweep.round_nr, sizeof(*kept));
    kept_nr = sweep_rounds(&sweep, kept);
    check(kept_nr < sweep.round_nr && kept_nr > sweep.round_nr / 2);
    for (size_t i = 0; i < sweep.series[0].sample_nr; i++) {
        const struct sweep_sample *sample = &sweep.series[0].sample[i];

        check_eq(kept[sample->round], sample->latency_ns < 1.3 * unloaded);
    }
    free(kept);
    curve = curve_of(&sweep, 0);
    check_near(curve.point[0].latency_ns.value, unloaded, 0.02);
    check_ratios(&curve, 0, 0.85, 0.06);
    free(curve.point);
    sweep_release(&sweep);
}

TEST("disturbed windows do not count")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(64);
    struct sweep sweep;
    struct machine_curve curve;

    sim.disturbed = 0.4;
    sweep = measured(&sim, &plan);
    curve = curve_of(&sweep, 1);
    check_ratios(&curve, 1, 0.85, 0.06);
    free(curve.point);
    sweep_release(&sweep);
}

TEST("without a window there is no point")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(8);
    struct sweep sweep;
    struct machine_curve curve;

    sim.dead_mix = 2;
    sweep = measured(&sim, &plan);
    curve = curve_of(&sweep, 1);
    check_eq(curve.point_nr, 1); /* the unloaded one */
    free(curve.point);
    sweep_release(&sweep);

    sim.disturbed = 1;
    sweep = measured(&sim, &plan);
    curve = curve_of(&sweep, 0);
    check_eq(curve.point_nr, 0);
    check(!curve.ceiling_gbs.known);
    sweep_release(&sweep);
}

TEST("a curve that bends back keeps its end")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(64);
    struct sweep_setting all = {.generators = 63};
    double peak = 0.97 * capacity_gbs[0];
    struct sweep sweep;
    struct machine_curve curve;
    struct machine_point end;

    sim.bend = 0.5;
    sweep = measured(&sim, &plan);
    curve = curve_of(&sweep, 0);
    end = end_of(&curve);
    check(truth_of(&sim, &all).gbs < 0.85 * peak); /* it does bend */
    check_near(end.gbs, peak, 0.03);
    check(end.latency_ns.high >= truth_of(&sim, &all).latency_ns);
    check(end.latency_ns.value < 0.8 * truth_of(&sim, &all).latency_ns);
    check_ratios(&curve, 0, 0.85, 0.06);
    check(!read_curve(&curve, 1.001 * end.gbs).known);
    check(curve.ceiling_gbs.known);
    check_near(curve.ceiling_gbs.value, peak, 0.03);
    free(curve.point);
    sweep_release(&sweep);
}

TEST("every setting has its turn in every round")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(16);
    struct sweep sweep = measured(&sim, &plan);

    check_eq(sweep.round_nr, plan.rounds_max);
    for (size_t i = 0; i < sweep.series_nr; i++) {
        const struct sweep_series *series = &sweep.series[i];

        check(series->sample_nr <= sweep.round_nr);
        for (size_t s = 0; s < series->sample_nr; s++)
            check_eq(series->sample[s].round, sweep.round_nr - series->sample_nr + s);
    }
    check_eq(sweep.series[0].sample_nr, sweep.round_nr);
    sweep_release(&sweep);
}

TEST("time limits the rounds")
{
    struct simulation sim = quiet();
    struct sweep_plan plan = plan_for(16);
    struct sweep sweep;

    plan.seconds = 0.01;
    sweep = measured(&sim, &plan);
    check_eq(sweep.round_nr, plan.rounds_min);
    sweep_release(&sweep);

    sim.now_s = 0;
    plan.seconds = 4;
    sweep = measured(&sim, &plan);
    check(sweep.round_nr > plan.rounds_min && sweep.round_nr < plan.rounds_max);
    check(sim.now_s < plan.seconds + 3e-3 * (double)sweep.series_nr + 1e-9);
    sweep_release(&sweep);
}
