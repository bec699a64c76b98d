/* What all measurements and comparisons of a session say together. */
#include <math.h>

#include "search/session/evidence.h"
#include "tests/check.h"

SUITE(search_evidence);

static struct quantity seconds(double value, double half)
{
    return quantity_between(value, value * exp(-half), value * exp(half), 3,
                            PROVENANCE_CLOCK);
}

/* Launches enough for their own scatter not to count. */
static void add(struct evidence *evidence, size_t i, double value, double half)
{
    evidence_add_time(evidence, i, seconds(value, half), 10000, false);
}

TEST("times alone give a ratio")
{
    struct evidence evidence = {0};

    add(&evidence, 0, 2, 0.03);
    add(&evidence, 1, 1, 0.04);
    struct quantity ratio = evidence_ratio(&evidence, 0, 1);
    check_near(ratio.value, 2, 1e-9);
    check_near(log(ratio.high / ratio.value), 0.05, 1e-3);
    check(!evidence_ratio(&evidence, 0, 2).known);
    evidence_drop(&evidence, 1);
    check(!evidence_ratio(&evidence, 0, 1).known);
    evidence_release(&evidence);
}

/* Each comparison narrows it, by way of a third one, too. */
TEST("comparisons count by their weight")
{
    struct evidence evidence = {0};

    for (size_t i = 0; i < 3; i++)
        add(&evidence, i, 1, 0.2);
    evidence_add_ratio(&evidence, 0, 1, seconds(1.1, 0.02));
    struct quantity direct = evidence_ratio(&evidence, 0, 1);
    check_near(direct.value, 1.1, 0.002);
    check(direct.low > 1.07 && direct.high < 1.13);
    evidence_add_ratio(&evidence, 1, 2, seconds(1.1, 0.02));
    struct quantity around = evidence_ratio(&evidence, 0, 2);
    check_near(around.value, 1.21, 0.005);
    check(around.low > 1.15 && around.high < 1.27);
    check(evidence_s(&evidence, 2) < evidence_s(&evidence, 1));
    evidence_release(&evidence);
}

/* A wild time among many that are known well is hardly the fastest. */
TEST("what is measured badly is likely as others are")
{
    struct evidence evidence = {0};

    for (size_t i = 0; i < 20; i++)
        add(&evidence, i, 1 + 0.01 * (double)i, 0.01);
    add(&evidence, 20, 0.8, 0.8);
    check(evidence_s(&evidence, 20) > evidence_s(&evidence, 0));
    check(evidence_s(&evidence, 20) < evidence_s(&evidence, 19));
    evidence_release(&evidence);
}

/* A merged time stands for those it was made of. */
TEST("a whole time replaces its parts")
{
    struct evidence evidence = {0};

    add(&evidence, 0, 1, 0.02);
    add(&evidence, 1, 1, 0.02);
    evidence_add_time(&evidence, 1, seconds(2, 0.02), 10000, true);
    check_near(evidence_s(&evidence, 1), 2, 1e-9);
    evidence_release(&evidence);
}

/* Who looks after each one must see more than who decided their number beforehand; who
 * gets answers that contradict each other is no surer than they are. */
TEST("joined ratios are as sure as they agree")
{
    const struct quantity alike[] = {seconds(1.1, 0.05), seconds(1.1, 0.05),
                                     seconds(1.1, 0.05), seconds(1.1, 0.05)},
                          apart[] = {seconds(1.3, 0.05), seconds(1.0, 0.05)};
    struct quantity one = evidence_join(alike, 1), four = evidence_join(alike, 4),
                    two = evidence_join(apart, 2);

    check_near(one.low, 1.1 * exp(-0.05), 1e-9);
    check_near(four.value, 1.1, 1e-9);
    double half = log(four.high / four.value);
    check(half > 0.05 / 2 && half < 0.05 / 2 * 1.25);
    check(two.low < 1 && two.high > 1.3);
    check(!evidence_join(alike, 0).known);
}
