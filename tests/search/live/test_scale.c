/* From the counts of small calls to those of the full one. */
#include <math.h>

#include "search/live/scale_counts.h"
#include "tests/check.h"

SUITE(search_scale);

/* A nest of three loops of n: how often each goes round, and the call. */
static struct scale_basis cube(double n)
{
    return (struct scale_basis){.value = {n, n * n, n * n * n, 1}, .nr = 4};
}

static struct run_steps steps_of(double n, const double multiple[4])
{
    double instructions =
        multiple[0] + multiple[1] * n + multiple[2] * n * n + multiple[3] * n * n * n;

    return (struct run_steps){.instructions = instructions,
                              .flops = 2 * n * n * n,
                              .branches_missed = n * n + 5,
                              .code_bytes = 100 + n};
}

static struct scale_points points_at(const double *n, size_t nr, const double multiple[4])
{
    struct scale_points points = {.nr = nr};

    for (size_t i = 0; i < nr; i++)
        points.point[i] = (struct scale_point){cube(n[i]), steps_of(n[i], multiple)};
    return points;
}

TEST("what the loops say is met")
{
    static const double n[] = {8, 16, 24, 32, 40}, multiple[] = {30, 7, 11, 4};
    struct scale_points points = points_at(n, 5, multiple);
    struct scale_basis full = cube(1000);
    struct scaled got = scale_counts(&points, &full);

    check_near(got.instructions.value, steps_of(1000, multiple).instructions, 1e-6);
    check_near(got.instructions.low, got.instructions.value, 1e-6);
    check_near(got.instructions.high, got.instructions.value, 1e-6);
    check_near(got.flops.value, 2e9, 1e-6);
    check_near(got.branches_missed.value, 1e6, 1e-3);
    check_near(got.code_bytes.value, 140, 0);
    check_near(got.divisions.value, 0, 0);
    check_eq(got.instructions.provenance, PROVENANCE_STEPPED);
}

/* With fewer points than loops the largest terms are met, and the rest is in the
 * interval.
 */
TEST("few points leave an interval")
{
    static const double n[] = {8, 16, 24}, multiple[] = {30, 7, 11, 4};
    struct scale_points points = points_at(n, 3, multiple);
    struct scale_basis full = cube(1000);
    double want = steps_of(1000, multiple).instructions;
    struct quantity got = scale_counts(&points, &full).instructions;

    check_near(got.value, want, 0.02);
    check(got.low < want && want < got.high);
    points.nr = 1;
    check(!scale_counts(&points, &full).instructions.known);
    points.nr = 0;
    check(!scale_counts(&points, &full).instructions.known);
}

TEST("the full call is exact")
{
    static const double n[] = {16}, multiple[] = {30, 7, 11, 4};
    struct scale_points points = points_at(n, 1, multiple);
    struct scale_basis full = cube(16);
    struct quantity got = scale_counts(&points, &full).instructions;

    check_near(got.value, steps_of(16, multiple).instructions, 0);
    check_near(got.low, got.high, 0);
}

/* Noise that no loop explains is in the interval. */
TEST("what is not explained widens")
{
    static const double n[] = {64, 128, 256, 512}, multiple[] = {30, 7, 0, 0};
    struct scale_points points = points_at(n, 4, multiple);
    struct scale_basis full = {.value = {1e6, 1}, .nr = 2};
    struct quantity got;

    for (size_t i = 0; i < 4; i++) {
        points.point[i].basis = (struct scale_basis){.value = {n[i], 1}, .nr = 2};
        points.point[i].steps.instructions *= i % 2 ? 1.1 : 0.9;
    }
    got = scale_counts(&points, &full).instructions;
    check(got.low <= 7e6 && 7e6 <= got.high);
    check(got.high / got.low > 1.1 && got.high / got.low < 2);
}

/* Loops that always go round together are one. */
TEST("equal loops do not confuse")
{
    struct scale_points points = {.nr = 3};
    struct scale_basis full = {.value = {1e6, 2e6, 1}, .nr = 3};

    for (size_t i = 0; i < 3; i++) {
        double n = 100 << i;

        points.point[i].basis = (struct scale_basis){.value = {n, 2 * n, 1}, .nr = 3};
        points.point[i].steps = (struct run_steps){.instructions = 20 + 5 * n};
    }
    check_near(scale_counts(&points, &full).instructions.value, 5e6 + 20, 1e-6);
}

TEST("instructions of unknown kind open the FLOP")
{
    static const double n[] = {8, 16, 24, 32, 40}, multiple[] = {30, 7, 11, 4};
    struct scale_points points = points_at(n, 5, multiple);
    struct scale_basis full = cube(100);
    struct quantity flops;

    for (size_t i = 0; i < 5; i++)
        points.point[i].steps.undecoded = n[i] * n[i];
    flops = scale_counts(&points, &full).flops;
    check_near(flops.value, 2e6, 1e-6);
    check_near(flops.low, 2e6, 1e-6);
    check_near(flops.high, 2e6 + 16e4, 1e-3);
}

TEST("a beginning is scaled by its FLOP")
{
    struct run_count count = {
        .half = {.instructions = 1000, .flops = 400, .branches_missed = 4},
        .all = {
            .instructions = 2000, .flops = 820, .branches_missed = 9, .code_bytes = 300}};
    struct scaled got = scale_beginning(&count, 8.2e6);

    check_near(got.instructions.value, 2e7, 1e-9);
    check_near(got.instructions.low, 1000 * 8.2e6 / 420, 1e-9);
    check_near(got.instructions.high, 1000 * 8.2e6 / 400, 1e-9);
    check_near(got.branches_missed.value, 9e4, 1e-9);
    check_near(got.code_bytes.value, 300, 0);
    count.half.flops = 300; /* the halves disagree */
    check(!scale_beginning(&count, 8.2e6).instructions.known);
    count.half.flops = 0;
    check(!scale_beginning(&count, 8.2e6).instructions.known);
}
