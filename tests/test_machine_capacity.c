/* Where a level ends, found by bisection: on replayed machines, with what they claim far
 * from what they have, with disturbances, and with the time up early. */
#include <CUnit/CUnit.h>
#include <math.h>

#include "core/base/random.h"
#include "core/machine/capacity.h"
#include "tests/check.h"

#define MIB 1048576.0

/* A level of so many bytes at 33 ns before memory at 121 ns. */
struct replay {
    double bytes;
    double disturbed; /* share of looks that another process made slower */
    uint64_t random;
    size_t looks;
};

static double chase_ns(struct replay *replay, double bytes)
{
    double hit = fmin(1, pow(replay->bytes / bytes, 2)), ns = 33 * hit + 121 * (1 - hit);

    replay->looks++;
    if ((double)(random_next(&replay->random) >> 11) * 0x1p-53 < replay->disturbed)
        ns += 90;
    return ns;
}

/* As many looks as that, at most; 2 to 520 MiB, as for 260 MiB claimed for two cores. */
static struct capacity_search searched(struct replay *replay, double start, size_t most)
{
    struct capacity_search search = {.from_bytes = 2 * MIB,
                                     .to_bytes = 520 * MIB,
                                     .start_bytes = start,
                                     .bar_ns = capacity_bar_ns(33, 121)};
    double bytes = capacity_next(&search);

    while (bytes > 0 && most--) {
        double ns = chase_ns(replay, bytes);

        check(bytes >= search.from_bytes && bytes <= search.to_bytes);
        if (ns > search.bar_ns)
            ns = fmin(ns, chase_ns(replay, bytes)); /* as the probe does */
        capacity_add(&search, bytes, ns);
        bytes = capacity_next(&search);
    }
    return search;
}

static struct quantity found(double bytes, double disturbed, size_t rounds, size_t most)
{
    struct replay replay = {.bytes = bytes, .disturbed = disturbed, .random = 5};
    struct capacity_search search[15];

    for (size_t i = 0; i < rounds; i++)
        search[i] = searched(
            &replay,
            i && search[i - 1].inside_bytes ? search[i - 1].inside_bytes / 1.5 : 2 * MIB,
            most);
    return capacity_of(search, rounds, 1 * MIB);
}

static void the_end_is_found_whatever_is_claimed(void)
{
    for (double mib = 3; mib < 400; mib *= 1.3) {
        struct quantity one = found(mib * MIB, 0, 1, 100);

        check(one.known && one.low < one.value && one.value < one.high);
        check(one.high <= 1.2001 * one.low); /* one search: what it left open */
        check(one.value > mib * MIB && one.value < 1.25 * mib * MIB);
    }
}

static void few_looks_are_enough(void)
{
    struct replay replay = {.bytes = 41 * MIB, .random = 5};

    searched(&replay, 2 * MIB, 100);
    check(replay.looks <= 13);
}

/* Every third look is slow: they move single searches, and the interval shows it. */
static void disturbances_only_take(void)
{
    struct quantity quiet = found(41 * MIB, 0, 1, 100),
                    busy = found(41 * MIB, 0.3, 5, 100);

    check(busy.value > quiet.value / 1.5 && busy.value < 1.5 * quiet.value);
    check(busy.low <= busy.value && busy.value <= busy.high);
}

/* What was proven is all that is told: never what is claimed. */
static void without_an_end_it_is_a_floor(void)
{
    struct quantity cut = found(41 * MIB, 0, 1, 3), large = found(900 * MIB, 0, 3, 100);

    check(cut.known && isinf(cut.high));
    check_near(cut.value, 8 * MIB, 1e-9);
    check_near(cut.low, cut.value, 0);
    check(isinf(large.high));
    check_near(large.value, 520 * MIB, 1e-9);
    check(!found(41 * MIB, 0, 1, 0).known);
}

/* Searches that were cut at different places. */
static void a_floor_is_what_most_have_proven(void)
{
    const struct capacity_search search[] = {{.inside_bytes = 8 * MIB},
                                             {.inside_bytes = 16 * MIB},
                                             {.inside_bytes = 32 * MIB}};
    struct quantity floor = capacity_of(search, ARRAY_SIZE(search), 1 * MIB);

    check(isinf(floor.high));
    check_near(floor.value, floor.low, 0);
    check_near(floor.low, 12 * MIB, 1e-9);
}

/* Nothing of it is left: between what the level before has and the least footprint. */
static void even_the_least_is_beyond(void)
{
    struct quantity none = found(0.5 * MIB, 0, 2, 100);

    check_near(none.low, 1 * MIB, 1e-9);
    check_near(none.value, 2 * MIB, 1e-9);
    check_near(none.high, 2 * MIB, 1e-9);
}

static void the_bar_stays_below_memory(void)
{
    check_near(capacity_bar_ns(10, 0), 16, 1e-9);
    check_near(capacity_bar_ns(33, 121), 52.8, 1e-9);
    check_near(capacity_bar_ns(60, 121), sqrt(60 * 121), 1e-9); /* disturbed */
    check(isnan(capacity_bar_ns(110, 121)));
}

CU_TestInfo machine_capacity_tests[] = {
    {"the end is found whatever is claimed", the_end_is_found_whatever_is_claimed},
    {"few looks are enough", few_looks_are_enough},
    {"disturbances only take", disturbances_only_take},
    {"without an end it is a floor", without_an_end_it_is_a_floor},
    {"a floor is what most have proven", a_floor_is_what_most_have_proven},
    {"even the least is beyond", even_the_least_is_beyond},
    {"the bar stays below memory", the_bar_stays_below_memory},
    CU_TEST_INFO_NULL,
};
