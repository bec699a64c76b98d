/* Where a level ends, found by bisection: on replayed machines, with what they claim far
 * from what they have, with disturbances, and with the time up early. */
#include <math.h>

#include "core/base/random.h"
#include "core/machine/machine.h"
#include "core/machine/sampling/capacity.h"
#include "tests/check.h"

SUITE(machine_capacity);

#define MIB 1048576.0

/* A level of so many bytes at 33 ns before memory at 121 ns. While a neighbour is busy
 * (a burst) its lines take most of the level, and memory is slower. */
struct replay {
    double bytes;
    double disturbed; /* share of looks that another process made slower */
    double burst_from_s[2], burst_to_s[2];
    double now_s;
    uint64_t random;
    size_t looks;
};

static double chance(struct replay *replay)
{
    return (double)(random_next(&replay->random) >> 11) * 0x1p-53;
}

static bool is_burst(const struct replay *replay)
{
    for (size_t i = 0; i < ARRAY_SIZE(replay->burst_to_s); i++)
        if (replay->now_s >= replay->burst_from_s[i] &&
            replay->now_s < replay->burst_to_s[i])
            return true;
    return false;
}

/* Linking, warming and walking take some 150 ns a line. */
static double chase_ns(struct replay *replay, double bytes)
{
    bool burst = is_burst(replay);
    double level = burst ? fmin(3.5 * MIB, replay->bytes) : replay->bytes,
           hit = fmin(1, pow(level / bytes, 2)),
           ns = 33 * hit + (burst ? 180 : 121) * (1 - hit);

    replay->looks++;
    replay->now_s += 2e-3 + bytes / 64 * 150e-9;
    if (chance(replay) < replay->disturbed)
        ns += 90;
    return ns;
}

static struct capacity capacity_at(double end_s, double first_s, size_t rounds)
{
    /* As for 260 MiB claimed for two cores. */
    return (struct capacity){.from_bytes = 2 * MIB,
                             .to_bytes = 520 * MIB,
                             .spread_s = fmin(end_s, 1e6) / (3 * (double)rounds),
                             .end_s = end_s,
                             .first_s = first_s,
                             .rounds = rounds};
}

static void one_round(struct capacity *capacity, struct replay *replay, size_t max)
{
    double bytes;

    capacity_begin(capacity, capacity_bar_ns(33, 121));
    while (max-- && (bytes = capacity_ask(capacity, replay->now_s)) > 0) {
        double ns = chase_ns(replay, bytes);

        check(bytes >= capacity->from_bytes && bytes <= capacity->to_bytes);
        capacity_tell(capacity, bytes, ns, replay->now_s);
    }
}

static struct quantity result_of(const struct capacity *capacity)
{
    return capacity_of(capacity->round, capacity->done, 1 * MIB);
}

/* With all the time there is, but at most so many looks a round. */
static struct quantity found(double bytes, double disturbed, size_t rounds, size_t max)
{
    struct replay replay = {.bytes = bytes, .disturbed = disturbed, .random = 5};
    struct capacity capacity = capacity_at(INFINITY, INFINITY, rounds);

    capacity.spread_s = 0.1;
    do
        one_round(&capacity, &replay, max);
    while (capacity_goes_on(&capacity, replay.now_s));
    return result_of(&capacity);
}

/* As the quick profile does it, which has 12 s. */
static struct quantity found_quickly(struct replay *replay)
{
    const double quick_s = 12;
    struct capacity capacity = capacity_at(0.12 * quick_s, 0.3 * quick_s, 5);

    do
        one_round(&capacity, replay, SIZE_MAX);
    while (capacity_goes_on(&capacity, replay->now_s));
    replay->now_s += 0.6 * quick_s;
    capacity_look_back(&capacity, replay->now_s, 0.03 * quick_s);
    do
        one_round(&capacity, replay, SIZE_MAX);
    while (capacity_goes_on(&capacity, replay->now_s));
    return result_of(&capacity);
}

TEST("the end is found whatever is claimed")
{
    for (double mib = 3; mib < 400; mib *= 1.3) {
        struct quantity one = found(mib * MIB, 0, 1, SIZE_MAX);

        check(one.known && one.low < one.value && one.value < one.high);
        check(one.high <= 1.2001 * one.low); /* one search: what it left open */
        check(one.value > mib * MIB && one.value < 1.25 * mib * MIB);
    }
}

TEST("few looks are enough")
{
    struct replay replay = {.bytes = 41 * MIB, .random = 5};
    struct capacity capacity = capacity_at(INFINITY, INFINITY, 1);

    capacity.spread_s = 0.1;
    one_round(&capacity, &replay, SIZE_MAX);
    check(replay.looks <= 20);
}

static bool is_right(struct quantity found, double bytes)
{
    const double end = 1.14; /* of what a level has, where this replay crosses the bar */

    return found.known &&
           ((found.value > end * bytes / 1.5 && found.value < end * bytes * 1.5) ||
            (found.low <= bytes && found.high >= bytes));
}

/* A neighbour for a moment, also for all of the time of the first rounds. */
TEST("a burst is not the edge")
{
    const double level_mib[] = {2.5, 8, 17.6, 41, 130};

    for (size_t i = 0; i < ARRAY_SIZE(level_mib); i++)
        for (uint64_t seed = 1; seed <= 400; seed++) {
            struct replay replay = {.bytes = level_mib[i] * MIB, .random = seed};

            for (size_t k = 0; k < ARRAY_SIZE(replay.burst_to_s); k++) {
                replay.burst_from_s[k] = 1.5 * chance(&replay);
                replay.burst_to_s[k] = replay.burst_from_s[k] + 0.6 * chance(&replay);
            }
            check(is_right(found_quickly(&replay), replay.bytes));
        }
}

TEST("a burst in the first steps")
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct replay replay = {.bytes = 17.6 * MIB, .random = seed};
        struct quantity bytes;

        replay.burst_from_s[0] = 0.02 * chance(&replay);
        replay.burst_to_s[0] = 3 * chance(&replay);
        bytes = found_quickly(&replay);
        check(is_right(bytes, replay.bytes));
        check(bytes.high > 16 * MIB); /* never an end that is not there */
    }
}

/* What one search takes back. */
TEST("a fast look takes back what was slow")
{
    struct capacity_search search = {.from_bytes = 2 * MIB,
                                     .to_bytes = 64 * MIB,
                                     .start_bytes = 2 * MIB,
                                     .spread_s = 1,
                                     .bar_ns = 50};

    capacity_add(&search, 2 * MIB, 33, 0);
    capacity_add(&search, 4 * MIB, 90, 0.1);
    check_near(capacity_next(&search), 2 * MIB, 0); /* in turn with the one below */
    capacity_add(&search, 2 * MIB, 90, 0.2);        /* all is slow: that says nothing */
    check(search.suspect.passes == 0);
    check_near(capacity_next(&search), 4 * MIB, 0);
    for (int i = 0; i < 5; i++) {
        capacity_add(&search, 4 * MIB, 90, 0.3);
        capacity_add(&search, 2 * MIB, 33, 0.4);
    }
    check(search.suspect.passes == 5 && !search.beyond_bytes); /* too short a time */
    capacity_add(&search, 4 * MIB, 34, 0.5);
    check(!search.suspect.bytes);
    check_near(search.inside_bytes, 4 * MIB, 0);
    check_near(capacity_next(&search), 8 * MIB, 0);
}

/* What was slow only for a moment when the time was up is no end. */
TEST("what was not excluded stays open")
{
    struct capacity_search search[2] = {
        {.start_bytes = 2 * MIB, .to_bytes = 64 * MIB, .spread_s = 1, .bar_ns = 50}};
    struct quantity bytes;

    capacity_add(&search[0], 2 * MIB, 33, 0);
    capacity_add(&search[0], 4 * MIB, 90, 0.1);
    bytes = capacity_of(search, 1, 1 * MIB);
    check(isinf(bytes.high));
    check_near(bytes.value, 2 * MIB, 0);
    /* An end far below what another search found inside is none. */
    search[0] = (struct capacity_search){.inside_bytes = 3 * MIB,
                                         .inside_ns = 33,
                                         .beyond_bytes = 3.5 * MIB,
                                         .beyond_ns = 90,
                                         .bar_ns = 50};
    search[1] = (struct capacity_search){.inside_bytes = 16 * MIB};
    bytes = capacity_of(search, 2, 1 * MIB);
    check(isinf(bytes.high));
    check_near(bytes.value, 16 * MIB, 0);
}

/* What was inside is slow from now on: the search is given up, not answered. */
TEST("a level that shrinks ends the search")
{
    struct capacity_search search = {
        .start_bytes = 2 * MIB, .to_bytes = 64 * MIB, .spread_s = 0.1, .bar_ns = 50};
    double now_s = 0, bytes;

    capacity_add(&search, 8 * MIB, 33, now_s);
    while ((bytes = capacity_next(&search)) > 0 && now_s < 10)
        capacity_add(&search, bytes, 90, now_s += 0.05);
    check(now_s < 2 && !search.beyond_bytes);
}

/* Every third look is slow: they move single searches, and the interval shows it. */
TEST("disturbances only take")
{
    struct quantity quiet = found(41 * MIB, 0, 1, 200),
                    busy = found(41 * MIB, 0.3, 5, 200);

    check(busy.value > quiet.value / 1.5 && busy.value < 1.5 * quiet.value);
    check(busy.low <= busy.value && busy.value <= busy.high);
}

/* What was proven is all that is told: never what is claimed. */
TEST("without an end it is a floor")
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
TEST("a floor is what most have proven")
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
TEST("even the least is beyond")
{
    struct quantity none = found(0.5 * MIB, 0, 2, 100);

    check_near(none.low, 1 * MIB, 1e-9);
    check_near(none.value, 2 * MIB, 1e-9);
    check_near(none.high, 2 * MIB, 1e-9);
}

TEST("the bar stays below memory")
{
    check_near(capacity_bar_ns(10, 0), 16, 1e-9);
    check_near(capacity_bar_ns(33, 121), 52.8, 1e-9);
    check_near(capacity_bar_ns(60, 121), sqrt(60 * 121), 1e-9); /* disturbed */
    check(isnan(capacity_bar_ns(110, 121)));
}

/* Two cores that share an L3 of 260 MiB, as the system says. */
static struct machine claiming(char *fingerprint)
{
    return (struct machine){
        .fingerprint = fingerprint,
        .cores = 2,
        .level_nr = 3,
        .level = {{.level = 1, .claimed_bytes = 48 << 10},
                  {.level = 2,
                   .claimed_bytes = 2 * MIB,
                   .effective_bytes = 1.5 * MIB,
                   .effective_low_bytes = 1.2 * MIB,
                   .effective_high_bytes = 1.6 * MIB,
                   .cores_sharing = 1},
                  {.level = 3, .claimed_bytes = 260 * MIB, .cores_sharing = 2}}};
}

static bool is_share(const struct machine *machine, int level, double value, double low,
                     double high)
{
    struct quantity share = machine_share_bytes(machine, level);

    return share.known && fabs(share.value - value) < 1 && fabs(share.low - low) < 1 &&
           (share.high == high || fabs(share.high - high) < 1);
}

TEST("the claim proves nothing")
{
    char probed[] = "cpu=Test CPU";
    struct machine machine = claiming(probed);

    check(is_share(&machine, 0, 48 << 10, 48 << 10, INFINITY));
    check(is_share(&machine, 1, 1.5 * MIB, 1.2 * MIB, 1.6 * MIB));
    check(is_share(&machine, 2, 1.2 * MIB, 1.2 * MIB, INFINITY));
    check_near(machine_share_max_bytes(&machine, 2), 130 * MIB, 1e-9);
    check(!machine_share_bytes(&machine, 3).known);
    check(!machine_share_bytes(&machine, -1).known);
    /* a floor, beyond what is claimed */
    machine.level[2].effective_bytes = machine.level[2].effective_low_bytes = 200 * MIB;
    check(is_share(&machine, 2, 200 * MIB, 200 * MIB, INFINITY));
    check_near(machine_share_max_bytes(&machine, 2), 200 * MIB, 1e-9);
    /* published: what is documented is all there is */
    machine = claiming(NULL);
    check(is_share(&machine, 2, 130 * MIB, 130 * MIB, 130 * MIB));
}

TEST("a claim can be refuted")
{
    char probed[] = "cpu=Test CPU";
    struct machine machine = claiming(probed);

    check(machine_level_is_as_claimed(&machine, 1));
    check(machine_level_is_as_claimed(&machine, 2)); /* nobody knows */
    machine.level[1].claimed_bytes = 4 * MIB;        /* what emulated CPUs say */
    check(!machine_level_is_as_claimed(&machine, 1));
    machine.level[1].cores_sharing = 2; /* others may have the rest */
    check(machine_level_is_as_claimed(&machine, 1));
}
