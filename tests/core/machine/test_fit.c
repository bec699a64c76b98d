/* From measured settings to a curve. */
#include <stdlib.h>
#include <string.h>

#include "core/machine/curves/curve_fit.h"
#include "tests/check.h"

SUITE(machine_fit);

TEST("isotonic regression pools violators")
{
    static const struct {
        double value[5], weight[5], want[5];
    } cases[] = {
        {{1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}, {1, 2, 3, 4, 5}},
        {{1, 3, 2, 4, 5}, {1, 1, 1, 1, 1}, {1, 2.5, 2.5, 4, 5}},
        {{1, 3, 2, 4, 5}, {1, 3, 1, 1, 1}, {1, 2.75, 2.75, 4, 5}},
        {{5, 4, 3, 2, 1}, {1, 1, 1, 1, 1}, {3, 3, 3, 3, 3}},
        {{1, 4, 4, 1, 9}, {1, 1, 1, 1, 1}, {1, 3, 3, 3, 9}},
        {{2, 3, 4, 0, 1}, {1, 1, 1, 2, 1}, {10. / 6, 10. / 6, 10. / 6, 10. / 6, 10. / 6}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        double value[5];

        memcpy(value, cases[i].value, sizeof(value));
        isotonic(value, cases[i].weight, 5);
        for (size_t j = 0; j < 5; j++)
            check_near(value[j], cases[i].want[j], 1e-12);
    }
}

static struct fit_point point_at(double load, double gbs, double latency_ns)
{
    return (struct fit_point){
        load, quantity_between(gbs, 0.99 * gbs, 1.01 * gbs, 9, PROVENANCE_PROBE),
        quantity_between(latency_ns, 0.98 * latency_ns, 1.02 * latency_ns, 9,
                         PROVENANCE_PROBE)};
}

TEST("saturation has a rule")
{
    static const struct {
        double load[3], gbs[3], latency_ns[3]; /* beside the unloaded point */
        double want;                           /* 0 = unknown */
    } cases[] = {
        {{4, 8, 16}, {60, 90, 100}, {110, 150, 300}, 0},   /* still rising */
        {{4, 8, 16}, {60, 98, 100}, {110, 150, 300}, 100}, /* risen by 2 % */
        {{4, 8, 16}, {60, 98, 100}, {110, 120, 140}, 0},   /* no queue: the cores' end */
        {{4, 8, 16}, {60, 100, 80}, {110, 200, 500}, 100}, /* bends back */
        {{4, 14, 16}, {60, 99, 100}, {110, 290, 300}, 0},  /* hardly more load */
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fit_point point[4] = {point_at(0, 0.6, 100)};
        struct quantity ceiling;

        for (size_t j = 0; j < 3; j++)
            point[j + 1] =
                point_at(cases[i].load[j], cases[i].gbs[j], cases[i].latency_ns[j]);
        ceiling = saturation_gbs(point, 4);
        check_eq(ceiling.known, cases[i].want > 0);
        if (cases[i].want > 0 && ceiling.known) {
            check_near(ceiling.value, cases[i].want, 1e-9);
            check_near(ceiling.high, 1.03 * cases[i].want, 1e-9);
        }
    }
}

/* What many others do to a rate can make its interval wider than the rate. */
TEST("no bandwidth is below 0")
{
    struct fit_point point[] = {point_at(0, 0.6, 100), point_at(4, 60, 110),
                                point_at(8, 90, 150)};
    struct machine_curve curve = {0};

    point[1].gbs.low = -2;
    curve_fit(point, ARRAY_SIZE(point), &curve);
    check_eq(curve.point_nr, 3);
    for (size_t i = 0; i < curve.point_nr; i++)
        check(curve.point[i].gbs_low >= 0);
    free(curve.point);
}

TEST("the end covers what lies beyond")
{
    struct fit_point point[] = {point_at(0, 0.6, 100),  point_at(2, 40, 105),
                                point_at(4, 80, 130),   point_at(8, 100, 200),
                                point_at(16, 99, 400),  point_at(32, 80, 700),
                                point_at(0.5, 20, 104), point_at(0.25, 10, 105)};
    struct machine_curve curve = {0};

    curve_fit(point, ARRAY_SIZE(point), &curve);
    if (check_eq(curve.point_nr, 6)) {
        check_near(curve.point[5].gbs, 99.5, 1e-6); /* the plateau is one point */
        check_near(curve.point[5].latency_ns.value, 200, 1e-6);
        check_near(curve.point[5].latency_ns.high, 1.02 * 700, 1e-6);
        check_near(curve.point[4].gbs, 80, 1e-6); /* the rising one stays as it is */
        check_near(curve.point[4].latency_ns.value, 130, 1e-6);
        check_near(curve.point[1].latency_ns.value, 104.5, 1e-6); /* pooled */
    }
    free(curve.point);
}
