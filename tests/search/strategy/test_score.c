/* The judging of searches: the published score on synthetic spaces. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/score.h"
#include "core/base.h"
#include "tests/check.h"

SUITE(search_score);

enum { SIZE_MAX_OF_SPACE = 500, RUNS = 200 };

struct judged {
    double objective[SIZE_MAX_OF_SPACE];
    struct score_space space;
};

static void judge(struct judged *judged, size_t nr, double noise)
{
    score_space_open(judged->objective, nr, noise, &judged->space);
}

/* 0 .. 1, the same on every machine */
static double next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Spaces as they are found: few good ones, a long tail, plateaus. */
static double shape(size_t kind, double u)
{
    switch (kind) {
    case 0:
        return 1 + u;
    case 1:
        return 1 + 4 * u * u * u;
    case 2:
        return 1 + floor(8 * u) / 4;
    default:
        return exp(2 * u);
    }
}

static void synthetic(struct judged *judged, size_t kind, size_t nr, double noise)
{
    uint64_t state = kind + 1;

    for (size_t i = 0; i < nr; i++)
        judged->objective[i] = shape(kind, next_number(&state));
    judge(judged, nr, noise);
}

static void linear(struct judged *judged, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        judged->objective[i] = 1 + (double)i / (double)nr;
    judge(judged, nr, 0);
}

/* ---- the space ---- */

/* Value, target and budget as published, worked out by hand: median of 1.00 .. 1.99 is
 * 1.495, so the target is 1 + 0.495 * 0.05, which 1.00, 1.01 and 1.02 reach: i = 97. */
TEST("target and budget are as published")
{
    struct judged judged;

    linear(&judged, 100);
    check_near(judged.space.optimum, 1, 0);
    check_near(judged.space.median, 1.495, 1e-12);
    check_near(judged.space.target, 1.02475, 1e-12);
    check_eq(judged.space.budget, 25); /* 97 / 4 */
    check_eq(judged.space.start, 1);   /* 50 / 51 */
    check(!judged.space.flat && !judged.space.small);
    score_space_release(&judged.space);
    linear(&judged, 20);
    check_eq(judged.space.budget, 10); /* 19 / 2 */
    check(judged.space.small);
    score_space_release(&judged.space);
}

TEST("what is within the noise is optimal")
{
    struct judged judged;

    for (size_t i = 0; i < 10; i++)
        judged.objective[i] = 1 + (double)i / 100;
    judge(&judged, 10, 0.025);
    check_near(judged.space.value[7], 1, 0);
    check_near(judged.space.value[6], 1.03, 1e-12);
    check_eq(judged.space.level[2], 7);
    check_eq(judged.space.level[0], 7);
    check_eq(judged.space.level[9], 0);
    check_eq(score_inside(&judged.space, 0.01), 3);
    check_eq(score_inside(&judged.space, 0.05), 6);
    check_near(score_random_draws(&judged.space, 0), 11.0 / 4, 1e-12);
    check(!judged.space.flat);
    score_space_release(&judged.space);
    judge(&judged, 10, 0.5);
    check(judged.space.flat);
    score_space_release(&judged.space);
}

static double level_of_all_draws(const struct score_space *space, size_t draws)
{
    double sum = 0, nr = 0;

    for (unsigned set = 0; set < 1u << space->nr; set++) {
        size_t best = 0, size = 0;

        for (size_t i = 0; i < space->nr; i++)
            if (set >> i & 1) {
                size++;
                if (space->level[i] > best)
                    best = space->level[i];
            }
        if (size == draws) {
            sum += (double)best;
            nr++;
        }
    }
    return sum / nr;
}

TEST("random search is computed exactly")
{
    static const double objective[] = {5, 1, 3, 3, 2, 8, 1.001, 3};
    struct judged judged;

    memcpy(judged.objective, objective, sizeof(objective));
    judge(&judged, ARRAY_SIZE(objective), 0.01);
    for (size_t draws = 1; draws <= judged.space.nr; draws++)
        check_near(score_random_level(&judged.space, draws),
                   level_of_all_draws(&judged.space, draws), 1e-12);
    score_space_release(&judged.space);
    linear(&judged, 100);
    for (size_t draws = 1; draws <= 100; draws++)
        check_near(score_random_level(&judged.space, draws),
                   (double)draws * 101 / ((double)draws + 1) - 1, 1e-9);
    score_space_release(&judged.space);
}

TEST("the curve between knots does not overshoot")
{
    static const double x[] = {0, 1, 3, 4, 6}, y[] = {0, 2, 3, 3, 7};
    double slope[ARRAY_SIZE(x)], before = -1;

    pchip_slopes(x, y, ARRAY_SIZE(x), slope);
    for (size_t i = 0; i < ARRAY_SIZE(x); i++)
        check_near(pchip_at(x, y, slope, ARRAY_SIZE(x), x[i]), y[i], 1e-12);
    for (double at = -1; at < 7; at += 0.01) {
        double value = pchip_at(x, y, slope, ARRAY_SIZE(x), at);

        check(value >= before - 1e-12);
        before = value;
    }
    check_near(slope[2], 0, 0);
    static const double turn[] = {0, 2, 1.5, 4, 4};
    pchip_slopes(x, turn, ARRAY_SIZE(x), slope);
    for (double at = 0; at < 3; at += 0.01)
        check(pchip_at(x, turn, slope, ARRAY_SIZE(x), at) <= 2 + 1e-12);
    pchip_slopes(x, y, 2, slope);
    check_near(pchip_at(x, y, slope, 2, 0.5), 1, 1e-12);
    pchip_slopes(x, y, 1, slope);
    check_near(pchip_at(x, y, slope, 1, 0.5), 0, 0);
}

/* ---- searches ---- */

struct runs {
    size_t place[RUNS][SIZE_MAX_OF_SPACE];
    struct score_run run[RUNS];
};

static void shuffle(size_t *place, size_t nr, uint64_t *state)
{
    for (size_t i = 0; i < nr; i++)
        place[i] = i;
    for (size_t i = nr; i > 1; i--) {
        size_t j = (size_t)(next_number(state) * (double)i), one = place[i - 1];

        place[i - 1] = place[j];
        place[j] = one;
    }
}

static struct runs *random_runs(const struct judged *judged)
{
    struct runs *runs = xcalloc(1, sizeof(*runs));
    uint64_t state = 99;

    for (size_t r = 0; r < RUNS; r++) {
        shuffle(runs->place[r], judged->space.nr, &state);
        runs->run[r] = (struct score_run){runs->place[r], judged->space.nr};
    }
    return runs;
}

/* The trap that others fell into: with medians random search does not score 0. */
TEST("random search scores nothing")
{
    static double curve[4][SCORE_POINTS];
    const double *all[4] = {curve[0], curve[1], curve[2], curve[3]};
    static const size_t size[] = {500, 300, 400, 150};

    for (size_t kind = 0; kind < 4; kind++) {
        struct judged judged;

        synthetic(&judged, kind, size[kind], kind == 2 ? 0 : 0.01);
        struct runs *runs = random_runs(&judged);
        score_curve(&judged.space, runs->run, RUNS, curve[kind]);
        check(fabs(score_of(&all[kind], 1).mean) < 0.1);
        free(runs);
        score_space_release(&judged.space);
    }
    struct score score = score_of(all, 4);
    check_eq(score.spaces, 4);
    check(fabs(score.mean) < 0.1);
    check(score.error >= 0 && score.error < 0.1);
}

static double score_of_order(const struct judged *judged, const size_t *place, size_t nr)
{
    static double curve[SCORE_POINTS];
    const double *all = curve;
    struct score_run run = {place, nr};

    score_curve(&judged->space, &run, 1, curve);
    return score_of(&all, 1).mean;
}

TEST("the best and the worst search have their scores")
{
    struct judged judged;
    size_t worst_first[100];

    linear(&judged, 100);
    for (size_t i = 0; i < 100; i++)
        worst_first[i] = 99 - i;
    check_near(score_of_order(&judged, (size_t[]){0}, 1), 1, 1e-12);
    check_near(score_of_order(&judged, (size_t[]){SCORE_INVALID, 0}, 2), 0.97, 0.02);
    check(score_of_order(&judged, worst_first, 100) < -3);
    check(score_of_order(&judged, (size_t[]){SCORE_INVALID}, 1) < -3);
    /* what was found stays found */
    check_near(score_of_order(&judged, (size_t[]){0, 99, 98}, 3), 1, 1e-12);
    score_space_release(&judged.space);
}

TEST("no space has no score")
{
    struct score score = score_of(NULL, 0);

    check(isnan(score.mean) && isnan(score.error) && score.spaces == 0);
}

TEST("evaluations are counted to the first inside")
{
    static const size_t place[] = {50, SCORE_INVALID, 30, 5, 4, 1, 0};
    struct judged judged;
    struct score_run run = {place, ARRAY_SIZE(place)};

    linear(&judged, 100);
    check_eq(score_evaluations(&judged.space, judged.objective, &run, 0.051), 4);
    check_eq(score_evaluations(&judged.space, judged.objective, &run, 0.011), 6);
    run.nr = 3;
    check_eq(score_evaluations(&judged.space, judged.objective, &run, 0.05), 100);
    check_near(score_random_draws(&judged.space, 0.051), 101.0 / 7, 1e-12);
    check_near(score_random_draws(&judged.space, 0.011), 101.0 / 3, 1e-12);
    score_space_release(&judged.space);
}
