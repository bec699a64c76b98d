#include <CUnit/CUnit.h>
#include <math.h>

#include "core/base/array.h"
#include "core/base/quantity.h"
#include "tests/check.h"

static void check_interval(struct quantity q, double value, double low, double high)
{
    check(q.known);
    check_near(q.value, value, 1e-12);
    check_near(q.low, low, 1e-12);
    check_near(q.high, high, 1e-12);
}

static const struct quantity two = {true, 2, 1, 3, 5, PROVENANCE_CLOCK, 0, false};
static const struct quantity four = {true, 4, 4, 5, 3, PROVENANCE_CLOCK, 0, false};
static const struct quantity minus = {true, -2, -3, -1, 0, PROVENANCE_TABLE, 0, false};

/* What is made of a doubted figure is doubted, as much as the worse one. */
static void doubt_is_handed_on(void)
{
    struct quantity doubted = two, product, scaled;

    doubted.doubted = true;
    doubted.disturbed = 0.4;
    product = quantity_divide(four, doubted);
    scaled = quantity_scale(doubted, 2);
    check(product.doubted && scaled.doubted && !quantity_add(two, four).doubted);
    check_near(product.disturbed, 0.4, 1e-12);
    check_near(scaled.disturbed, 0.4, 1e-12);
}

static void absent_is_not_zero(void)
{
    struct quantity unknown = quantity_unknown();

    check(!unknown.known);
    check(isnan(unknown.value) && isnan(unknown.low) && isnan(unknown.high));
    check_eq(unknown.provenance, PROVENANCE_NONE);
    check(!quantity_add(unknown, two).known);
    check(!quantity_subtract(two, unknown).known);
    check(!quantity_multiply(unknown, two).known);
    check(!quantity_divide(two, unknown).known);
    check(!quantity_scale(unknown, 2).known);
}

static void disordered_intervals_are_unknown(void)
{
    check(!quantity_between(2, 3, 4, 1, PROVENANCE_CLOCK).known);
    check(!quantity_between(5, 3, 4, 1, PROVENANCE_CLOCK).known);
    check(!quantity_exact(NAN, PROVENANCE_CLOCK).known);
    check(quantity_between(2, 1, INFINITY, 1, PROVENANCE_CLOCK).known);
}

static void intervals_combine(void)
{
    check_interval(quantity_add(two, four), 6, 5, 8);
    check_interval(quantity_subtract(two, four), -2, -4, -1);
    check_interval(quantity_add_independent(two, four), 6, 5, 6 + sqrt(2));
    check_interval(quantity_add_independent(two, two), 4, 4 - sqrt(2), 4 + sqrt(2));
    check_interval(quantity_multiply(two, four), 8, 4, 15);
    check_interval(quantity_multiply(two, minus), -4, -9, -1);
    check_interval(quantity_divide(four, two), 2, 4.0 / 3, 5);
    check_interval(quantity_divide(four, minus), -2, -5, -4.0 / 3);
    check_interval(quantity_scale(two, 10), 20, 10, 30);
    check_interval(quantity_scale(two, -1), -2, -3, -1);
}

static void division_by_zero_is_unknown(void)
{
    struct quantity around = quantity_between(0.5, -1, 1, 3, PROVENANCE_CLOCK);

    check(!quantity_divide(two, around).known);
    check(!quantity_divide(two, quantity_exact(0, PROVENANCE_CLOCK)).known);
    check(!quantity_divide(two, quantity_between(1, 0, 1, 0, PROVENANCE_CLOCK)).known);
}

static void max_takes_the_known_one(void)
{
    check_interval(quantity_max(two, four), 4, 4, 5);
    check_interval(quantity_max(quantity_unknown(), two), 2, 1, 3);
    check_interval(quantity_max(two, quantity_unknown()), 2, 1, 3);
    check(!quantity_max(quantity_unknown(), quantity_unknown()).known);
}

static void pedigree_is_kept(void)
{
    check_eq(quantity_add(two, four).provenance, PROVENANCE_CLOCK);
    check_eq(quantity_add(two, minus).provenance, PROVENANCE_DERIVED);
    check_eq(quantity_add(two, four).runs, 3);
    check_eq(quantity_add(two, minus).runs, 5); /* a table value is no statistic */
    check_eq(quantity_scale(two, 2).runs, 5);
}

static void words_go_both_ways(void)
{
    for (int i = PROVENANCE_NONE; i <= PROVENANCE_DERIVED; i++)
        check_eq(provenance_from_word(provenance_word((enum provenance)i)), i);
    check_str(provenance_word(PROVENANCE_MODEL), "model");
    check_eq(provenance_from_word("guess"), PROVENANCE_NONE);
}

CU_TestInfo base_quantity_tests[] = {
    {"doubt is handed on", doubt_is_handed_on},
    {"absent is not 0", absent_is_not_zero},
    {"disordered intervals are unknown", disordered_intervals_are_unknown},
    {"intervals combine", intervals_combine},
    {"division by an interval with 0 is unknown", division_by_zero_is_unknown},
    {"max takes the known one", max_takes_the_known_one},
    {"runs and provenance are kept", pedigree_is_kept},
    {"provenance words go both ways", words_go_both_ways},
    CU_TEST_INFO_NULL,
};
