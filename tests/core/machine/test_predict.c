#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/statistics.h"
#include "core/machine/curves/predict.h"
#include "tests/check.h"

SUITE(machine_predict);

static struct quantity around(double latency_ns)
{
    return quantity_between(latency_ns, 0.98 * latency_ns, 1.02 * latency_ns, 9,
                            PROVENANCE_PROBE);
}

static struct quantity exactly(double value)
{
    return quantity_exact(value, PROVENANCE_TABLE);
}

/* What was measured: 100 ns at 1 GB/s, and where last_gbs > 0 100 x rise there. */
static struct machine_curve measured(double last_gbs, double rise)
{
    struct machine_curve curve = {.read_share = 1,
                                  .point = xcalloc(2, sizeof(*curve.point)),
                                  .point_nr = last_gbs > 0 ? 2 : 1,
                                  .point_alloc = 2};

    curve.point[0] = (struct machine_point){.gbs = 1, .latency_ns = around(100)};
    curve.point[1] =
        (struct machine_point){.gbs = last_gbs, .latency_ns = around(100 * rise)};
    return curve;
}

static const struct machine_point *end_of(const struct machine_curve *curve)
{
    return &curve->point[curve->point_nr - 1];
}

static bool never_falls(const struct machine_curve *curve, size_t from)
{
    for (size_t i = from; i < curve->point_nr; i++) {
        struct quantity before = curve->point[i - 1].latency_ns,
                        now = curve->point[i].latency_ns;

        if (curve->point[i].gbs <= curve->point[i - 1].gbs || now.low < before.low ||
            now.value < before.value || now.high < before.high)
            return false;
    }
    return true;
}

/* A published machine predicted from its unloaded latency, its ceiling and what it has up
 * to some load, without it in the shapes. */
struct score {
    double measured_to; /* load u */
    size_t inside, points;
    double half_width[2][64]; /* relative, at u = 0.5 and 0.8, one of each curve */
    size_t curves;
};

static double half_width(struct quantity latency)
{
    return (latency.high - latency.low) / 2 / latency.value;
}

/* Its first point and those up to that load. */
static struct machine_curve beginning(const struct machine_curve *published, double u)
{
    double best = end_of(published)->gbs;
    struct machine_curve curve = {.read_share = published->read_share,
                                  .ceiling_gbs = exactly(best)};

    GROW(curve.point, published->point_nr, curve.point_alloc);
    while (!curve.point_nr || published->point[curve.point_nr].gbs <= u * best) {
        curve.point[curve.point_nr] = published->point[curve.point_nr];
        curve.point_nr++;
    }
    return curve;
}

static void score_curve(struct score *score, const struct shapes *shapes,
                        const struct machine_curve *published)
{
    double best = end_of(published)->gbs;
    struct machine_curve curve = beginning(published, score->measured_to);
    struct machine machine = {.curve = &curve, .curve_nr = 1};
    size_t measured_nr = curve.point_nr;

    if (score->measured_to > 0 && measured_nr == 1) { /* nothing to go on from */
        free(curve.point);
        return;
    }
    curve_predict_from(shapes, &curve, 0);
    check(never_falls(&curve, measured_nr));
    for (size_t i = measured_nr; i < published->point_nr; i++) {
        struct machine_point point = published->point[i];
        struct quantity latency = machine_latency_ns(&machine, point.gbs, 1);

        if (point.gbs >= 0.9 * best)
            continue;
        score->points++;
        score->inside += latency.known && latency.low <= point.latency_ns.value &&
                         point.latency_ns.value <= latency.high;
    }
    score->half_width[0][score->curves] =
        half_width(machine_latency_ns(&machine, 0.5 * best, 1));
    score->half_width[1][score->curves++] =
        half_width(machine_latency_ns(&machine, 0.8 * best, 1));
    free(curve.point);
}

static void score_profile(struct score *score, const struct machine *published)
{
    struct shapes shapes;
    struct error err = {0};

    if (!check_ok(shapes_load(published->name, &shapes, &err), &err))
        return;
    check_eq(shapes.machine_nr, 4); /* with all result sets of its CPU type left out */
    for (size_t i = 0; i < shapes.machine_nr; i++)
        for (size_t j = 0; j < shapes.machine[i].profile_nr; j++)
            check(strcmp(shapes.machine[i].profile[j].name, published->name) != 0);
    for (size_t i = 0; i < published->curve_nr; i++)
        score_curve(score, &shapes, &published->curve[i]);
    shapes_release(&shapes);
}

static double median(double *value, size_t nr)
{
    sort_doubles(value, nr);
    return (value[(nr - 1) / 2] + value[nr / 2]) / 2;
}

static struct score score_all(double measured_to)
{
    struct score score = {.measured_to = measured_to};
    struct shapes all;
    struct error err = {0};

    if (!check_ok(shapes_load(NULL, &all, &err), &err))
        return score;
    for (size_t i = 0; i < all.machine_nr; i++)
        for (size_t j = 0; j < all.machine[i].profile_nr; j++)
            score_profile(&score, &all.machine[i].profile[j]);
    shapes_release(&all);
    return score;
}

TEST("published machines are predicted without themselves")
{
    struct score score = score_all(0);
    double widths[2];

    if (!check_eq(score.curves, 23) || !check_eq(score.points, 48))
        return;
    for (size_t i = 0; i < 2; i++)
        widths[i] = median(score.half_width[i], score.curves);
    printf("[%zu of %zu published points inside; median half width %.1f %% at half "
           "load, %.1f %% at 0.8] ",
           score.inside, score.points, 100 * widths[0], 100 * widths[1]);
    check((double)score.inside >= 0.9 * (double)score.points);
    check(widths[0] < 0.12); /* an interval that holds everything says nothing */
    check(widths[1] < 0.35);
}

/* The same with the curve measured up to 0.6 of the best bandwidth. */
TEST("published machines go on as predicted")
{
    struct score score = score_all(0.6);
    double width;

    if (!check_eq(score.curves, 18) || !check(score.points >= 20))
        return;
    width = median(score.half_width[1], score.curves);
    printf("[%zu of %zu points inside; median half width %.1f %% at 0.8] ", score.inside,
           score.points, 100 * width);
    check((double)score.inside >= 0.9 * (double)score.points);
    check(width < 0.3);
}

/* Medians over 8 result sets of the same source, computed from all its points: ours come
 * from fewer sets and some points of each. */
TEST("shapes agree with all published points")
{
    static const double u[] = {0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    static const struct {
        double read_share, y[ARRAY_SIZE(u)];
    } cases[] = {{0.55, {1.06, 1.10, 1.14, 1.21, 1.31, 1.43, 1.64, 2.03}},
                 {0.72, {1.06, 1.10, 1.13, 1.18, 1.25, 1.36, 1.52, 1.77}},
                 {0.98, {1.04, 1.05, 1.08, 1.12, 1.17, 1.25, 1.36, 1.52}}};
    struct shapes shapes;
    struct error err = {0};

    if (!check_ok(shapes_load(NULL, &shapes, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine_curve curve = {.read_share = cases[i].read_share,
                                      .ceiling_gbs = exactly(100)};
        struct machine machine = {.curve = &curve, .curve_nr = 1};

        GROW(curve.point, 1, curve.point_alloc);
        curve.point[curve.point_nr++] = (struct machine_point){.latency_ns = exactly(1)};
        curve_predict_from(&shapes, &curve, 0);
        for (size_t j = 0; j < ARRAY_SIZE(u); j++)
            check_near(machine_latency_ns(&machine, 100 * u[j], 1).value, cases[i].y[j],
                       u[j] < 0.65 ? 0.1 : 0.25);
        free(curve.point);
    }
    shapes_release(&shapes);
}

TEST("the tail ends at nine tenths of the ceiling")
{
    static const struct {
        double value, low, high, end;
    } cases[] = {{200, 200, 200, 180}, {200, 160, 240, 144}, {200, 0, INFINITY, 54}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine_curve curve = measured(20, 1.01);
        struct error err = {0};

        curve.ceiling_gbs = quantity_between(cases[i].value, cases[i].low, cases[i].high,
                                             0, PROVENANCE_TABLE);
        check_ok(curve_predict(&curve, 60, &err), &err);
        check(never_falls(&curve, 2));
        if (i < 2)
            check_near(end_of(&curve)->gbs, cases[i].end, 1e-9);
        else /* all cores together drew more than nine tenths of the low end */
            check_near(end_of(&curve)->gbs, 60, 1e-9);
        for (size_t j = 0; j < curve.point_nr; j++)
            check_eq(curve.point[j].latency_ns.provenance,
                     j < 2 ? PROVENANCE_PROBE : PROVENANCE_PREDICTED);
        check_near(curve.point[1].latency_ns.value, 101, 0);
        free(curve.point);
    }
}

/* At the same load: the less is known of the ceiling, the wider the interval. */
TEST("the ceiling is an interval")
{
    struct machine_curve exact = measured(20, 1), wide = measured(20, 1);
    struct machine a = {.curve = &exact, .curve_nr = 1},
                   b = {.curve = &wide, .curve_nr = 1};
    struct quantity narrow, broad;
    struct error err = {0};

    exact.ceiling_gbs = exactly(200);
    wide.ceiling_gbs = quantity_between(200, 150, 300, 0, PROVENANCE_TABLE);
    check_ok(curve_predict(&exact, 0, &err), &err);
    check_ok(curve_predict(&wide, 0, &err), &err);
    narrow = machine_latency_ns(&a, 120, 1);
    broad = machine_latency_ns(&b, 120, 1);
    check_near(narrow.value, broad.value, 0.02);
    check(broad.low < narrow.low && broad.high > narrow.high);
    free(exact.point);
    free(wide.point);
}

TEST("the tail goes on from what was measured")
{
    struct machine_curve steep = measured(100, 1.3), flat = measured(100, 1.02);
    struct error err = {0};
    struct quantity a, b;

    steep.ceiling_gbs = flat.ceiling_gbs = exactly(200);
    check_ok(curve_predict(&steep, 0, &err), &err);
    check_ok(curve_predict(&flat, 0, &err), &err);
    check(steep.point_nr > 4 && steep.point_nr == flat.point_nr);
    check(never_falls(&steep, 2) && never_falls(&flat, 2));
    a = end_of(&steep)->latency_ns;
    b = end_of(&flat)->latency_ns;
    check_near(a.value - b.value, 28, 1e-6); /* the difference measured stays */
    free(steep.point);
    free(flat.point);
}

/* 100 ns have become 250 at 30 GB/s: the memory cannot deliver 400. */
TEST("a contradicted ceiling is not believed")
{
    struct machine_curve curve = measured(30, 2.5);
    struct error err = {0};

    curve.ceiling_gbs = exactly(400);
    check_ok(curve_predict(&curve, 0, &err), &err);
    check_eq(curve.point_nr, 2);
    check_ok(curve_predict(&curve, 33, &err), &err);
    if (check_eq(curve.point_nr, 3))
        check_near(curve.point[2].gbs, 33, 0);
    free(curve.point);
}

/* What was predicted past a ceiling that is not believed is no reason to refuse the
 * profile later. */
static void check_can_be_loaded(struct machine_curve *curve)
{
    char *min = path_join(INFLIGHT_SOURCE_DIR, "tests/data/machine/least.json");
    char *scratch = NULL, *path = NULL;
    struct machine machine = {0}, again = {0};
    struct error err = {0};

    if (check_ok(scratch_make(&scratch, &err), &err) &&
        check_ok(machine_load(min, &machine, &err), &err)) {
        struct machine shown = machine;

        shown.curve = curve;
        shown.curve_nr = 1;
        path = path_join(scratch, "p.json");
        check_ok(machine_save(&shown, path, &err), &err);
        check_ok(machine_load(path, &again, &err), &err);
        check_eq(again.curve_nr, 1);
    }
    machine_release(&machine);
    machine_release(&again);
    scratch_remove(scratch);
    free(min);
    free(path);
}

/* More was drawn than it allows. */
TEST("a ceiling below what was drawn is not believed")
{
    struct machine_curve curve = measured(50, 1.05);
    struct error err = {0};

    curve.ceiling_gbs = quantity_between(80, 70, 100, 0, PROVENANCE_TABLE);
    check_ok(curve_predict(&curve, 110, &err), &err);
    if (check_eq(curve.point_nr, 3))
        check_near(curve.point[2].gbs, 110, 0);
    check_can_be_loaded(&curve);
    free(curve.point);
}

TEST("measured saturation needs no prediction")
{
    struct machine_curve curve = measured(190, 2);
    struct error err = {0};

    curve.ceiling_gbs = exactly(200);
    check_ok(curve_predict(&curve, 195, &err), &err);
    check_eq(curve.point_nr, 2);
    free(curve.point);
}

TEST("a reach without a ceiling is one point")
{
    static const struct {
        double last_gbs, rise, at_gbs;
        double low, high;         /* expected value between them */
        double min_end, max_high; /* of its interval's high end */
    } cases[] = {
        {20, 1.0, 40, 100, 101, 103,
         115}, /* flat so far: nearly flat at twice the load */
        {50, 1.12, 80, 125, 145, 160, 240},
        {90, 1.52, 100, 155, 200, 170, 300},
        {0, 1, 20, 100, 100, 200, 1000}, /* no load measured: hardly anything known */
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine_curve curve = measured(cases[i].last_gbs, cases[i].rise);
        size_t before = curve.point_nr;
        struct error err = {0};

        check_ok(curve_predict(&curve, cases[i].at_gbs, &err), &err);
        if (check_eq(curve.point_nr, before + 1)) {
            struct quantity latency = end_of(&curve)->latency_ns;

            check_near(end_of(&curve)->gbs, cases[i].at_gbs, 0);
            check_eq(latency.provenance, PROVENANCE_PREDICTED);
            check(latency.value >= cases[i].low && latency.value <= cases[i].high);
            check(latency.high >= cases[i].min_end && latency.high <= cases[i].max_high);
            check(never_falls(&curve, before));
        }
        free(curve.point);
    }
}

TEST("nothing is added within")
{
    struct machine_curve curve = measured(50, 1.1);
    struct error err = {0};

    check_ok(curve_predict(&curve, 50.5, &err), &err);
    check_ok(curve_predict(&curve, 0, &err), &err);
    check_eq(curve.point_nr, 2);
    free(curve.point);
}

/* Non-temporal stores alone: no machine of the shapes has a curve of mostly writes. */
TEST("strange mixes are not predicted")
{
    struct machine_curve curve = measured(50, 1.1);
    struct error err = {0};

    curve.read_share = 0.1;
    curve.ceiling_gbs = exactly(200);
    check_ok(curve_predict(&curve, 80, &err), &err);
    check_eq(curve.point_nr, 2);
    free(curve.point);
}

TEST("damaged shapes are refused")
{
    static const struct {
        const char *rest, *output;
    } cases[] = {
        {"", "shapes.json: widening: is missing"},
        {", \"widening\": 0.5", "widening: expected a number in [1, 10], got 0.5"},
        {", \"widening\": 2, \"read_share_reach\": 0.1, \"machines\": []",
         "machines: expected 1 to 32 machines, got 0"},
        {", \"widening\": 2, \"read_share_reach\": 0.1, \"machines\": [{\"name\": \"a\", "
         "\"profiles\": [\"nothing\"]}]",
         "shapes.json: there is no machine profile 'nothing'"},
        {", \"widening\": 2, \"read_share_reach\": 0.1, \"machines\": [{\"name\": \"a\", "
         "\"profiles\": []}]",
         "machines[0].profiles: expected at least one profile"},
        {", \"wideing\": 2", "unknown key \"wideing\"; did you mean \"widening\"?"},
    };
    char *kept = xstrdup(getenv("INFLIGHT_DATA")), *scratch = NULL, *dir, *file;
    struct error err = {0};

    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    dir = path_join(scratch, "core/machine/data");
    file = path_join(dir, "shapes.json");
    check_ok(dir_make_all(dir, &err), &err);
    setenv("INFLIGHT_DATA", scratch, 1);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine_curve curve = measured(50, 1.1);
        char *text = xasprintf("{\"schema\": \"inflight.shapes/1\"%s}", cases[i].rest);

        check_ok(file_write(file, text, strlen(text), &err), &err);
        check_fails(curve_predict(&curve, 80, &err), &err, STATUS_INPUT, cases[i].output);
        check_eq(curve.point_nr, 2);
        free(curve.point);
        free(text);
    }
    if (kept)
        setenv("INFLIGHT_DATA", kept, 1);
    else
        unsetenv("INFLIGHT_DATA");
    free(kept);
    free(dir);
    free(file);
    scratch_remove(scratch);
}
