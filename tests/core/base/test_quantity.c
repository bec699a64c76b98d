#include <math.h>

#include "core/base/array.h"
#include "core/base/quantity.h"
#include "tests/check.h"

SUITE(base_quantity);

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
TEST("doubt is handed on")
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

TEST("absent is not 0")
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

TEST("disordered intervals are unknown")
{
    check(!quantity_between(2, 3, 4, 1, PROVENANCE_CLOCK).known);
    check(!quantity_between(5, 3, 4, 1, PROVENANCE_CLOCK).known);
    check(!quantity_exact(NAN, PROVENANCE_CLOCK).known);
    check(quantity_between(2, 1, INFINITY, 1, PROVENANCE_CLOCK).known);
}

TEST("intervals combine")
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

TEST("division by an interval with 0 is unknown")
{
    struct quantity around = quantity_between(0.5, -1, 1, 3, PROVENANCE_CLOCK);

    check(!quantity_divide(two, around).known);
    check(!quantity_divide(two, quantity_exact(0, PROVENANCE_CLOCK)).known);
    check(!quantity_divide(two, quantity_between(1, 0, 1, 0, PROVENANCE_CLOCK)).known);
}

TEST("max takes the known one")
{
    check_interval(quantity_max(two, four), 4, 4, 5);
    check_interval(quantity_max(quantity_unknown(), two), 2, 1, 3);
    check_interval(quantity_max(two, quantity_unknown()), 2, 1, 3);
    check(!quantity_max(quantity_unknown(), quantity_unknown()).known);
}

TEST("runs and provenance are kept")
{
    check_eq(quantity_add(two, four).provenance, PROVENANCE_CLOCK);
    check_eq(quantity_add(two, minus).provenance, PROVENANCE_DERIVED);
    check_eq(quantity_add(two, four).runs, 3);
    check_eq(quantity_add(two, minus).runs, 5); /* a table value is no statistic */
    check_eq(quantity_scale(two, 2).runs, 5);
}

TEST("provenance words go both ways")
{
    for (int i = PROVENANCE_NONE; i <= PROVENANCE_DERIVED; i++)
        check_eq(provenance_from_word(provenance_word((enum provenance)i)), i);
    check_str(provenance_word(PROVENANCE_MODEL), "model");
    check_eq(provenance_from_word("guess"), PROVENANCE_NONE);
}
