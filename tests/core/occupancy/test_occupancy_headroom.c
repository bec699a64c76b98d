/* What is left: with the work as it is, with the least work, and who sets it. */
#include <math.h>

#include "tests/core/occupancy/loop_by_hand.h"

SUITE(occupancy_headroom);

static struct occupancy_need need_of(double bytes)
{
    return (struct occupancy_need){.memory_bytes =
                                       bytes < 0 ? quantity_unknown() : exact(bytes),
                                   .memory_gbs = exact(100)};
}

/* Eight cores stream 8 x 64 MB in the time that memory needs for them at 96 GB/s. */
static struct occupancy_case streaming(const struct machine *machine)
{
    return case_of(machine, memory_work(1e6, 1e6), 8 * 64e6 / 96e9, 8);
}

TEST("a stream at the ceiling is reached")
{
    struct machine machine = machine_made();
    struct occupancy_case input = streaming(&machine);
    struct occupancy now = computed(&input);
    struct occupancy_need need = need_of(8 * 64e6);
    struct occupancy_headroom left = occupancy_headroom(&now, input.time_s, &need);

    check(left.reached);
    check_eq(left.same_by, RESOURCE_MEMORY);
    check_eq(left.min_by, RESOURCE_MEMORY);
    check_near(left.same.value, 100.0 / 96, 0.01);
    check_near(left.min.value, 100.0 / 96, 0.01);
    check(left.same.low >= 1);
    occupancy_release(&now);
}

/* A quarter of what moves is needed: four times as much is left for plans that save it.
 */
TEST("less work allows more")
{
    struct machine machine = machine_made();
    struct occupancy_case input = streaming(&machine);
    struct occupancy now = computed(&input);
    struct occupancy_need need = need_of(2 * 64e6);
    struct occupancy_headroom left = occupancy_headroom(&now, input.time_s, &need);

    check_near(left.min.value, 4 * 100.0 / 96, 0.01);
    check(left.min.value > left.same.value);
    need.memory_bytes.low = 0; /* perhaps nothing at all */
    left = occupancy_headroom(&now, input.time_s, &need);
    check_near(left.min.value, 4 * 100.0 / 96, 0.01);
    check(isinf(left.min.high));
    occupancy_release(&now);
}

/* 48e9 FLOP/s of doubles: 0.1 s of them, and half as long for floats. */
TEST("arithmetic that must be done bounds")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, no_work(), 0.2, 8);
    struct occupancy_need need = need_of(-1);
    struct occupancy now;
    struct occupancy_headroom left;

    input.work.flops = exact(4.8e9);
    now = computed(&input);
    left = occupancy_headroom(&now, input.time_s, &need);
    check_near(left.min.value, 2, 0.001);
    check_eq(left.min_by, RESOURCE_ARITHMETIC);
    need.flop_ratio = 2;
    left = occupancy_headroom(&now, input.time_s, &need);
    check_near(left.min.value, 4, 0.001);
    occupancy_release(&now);
}

/* One chain of misses of 100 ns each: 16 entries would allow 16 times more, the chain
 * nothing. */
TEST("chains bound what queues do not")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.105, 1);
    struct occupancy_need need = need_of(-1);
    struct occupancy now;
    struct occupancy_headroom left;

    input.chains = exact(1);
    now = computed(&input);
    check_eq(now.diagnosis.cause, CAUSE_DEPENDENT_LOADS);
    left = occupancy_headroom(&now, input.time_s, &need);
    check(now.slack.value > 5);
    check(left.same_by_chains && left.min_by_chains && left.reached);
    check(left.same.value < 1.2);
    check_near(left.min.value, left.same.value, 1e-9);
    occupancy_release(&now);
}

TEST("without evidence there is no bound")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, no_work(), 0.2, 8);
    struct occupancy_need need = need_of(-1);
    struct occupancy now;
    struct occupancy_headroom left;

    input.work.flops = quantity_unknown();
    now = computed(&input);
    left = occupancy_headroom(&now, input.time_s, &need);
    check(!left.min.known && !left.same.known && !left.reached);
    check_eq(left.min_by, RESOURCE_NONE);
    check_eq(left.same_by, RESOURCE_NONE);
    occupancy_release(&now);
}

/* What memory can do at least is no bound of what a plan may gain. */
TEST("a floor of memory bounds nothing")
{
    struct machine machine = machine_made();
    struct occupancy_case input = streaming(&machine);
    struct occupancy now = computed(&input);
    struct occupancy_need need = need_of(2 * 64e6);
    struct occupancy_headroom left;

    need.memory_gbs.high = INFINITY;
    left = occupancy_headroom(&now, input.time_s, &need);
    check(left.min_by != RESOURCE_MEMORY || !left.min.known ||
          left.min.value <= left.same.value);
    check(!left.min.known || left.min.value < 2);
    occupancy_release(&now);
}

/* A queue shared by nobody knows how many has an eighth of its places at least, which is
 * no guess of what it has: 12 in flight do not make it the busiest. */
TEST("the least share of a queue limits nothing")
{
    char scope[] = "cluster";
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 1e6), 0.1 / 5, 8);
    struct occupancy now;

    machine.l2_mshrs.scope = scope;
    machine.l2_mshrs.used = around(48, 40, 56);
    now = computed(&input);
    check_between(now.resource[RESOURCE_L2_QUEUE].limit, 5, 5, 56, 1e-9);
    check(now.busiest != RESOURCE_L2_QUEUE && now.diagnosis.cause != CAUSE_L2_MSHRS);
    occupancy_release(&now);
}

/* L1 needs 8 of 10 s if it has no more places than were seen: nobody knows. */
TEST("a floor bounds nothing")
{
    struct occupancy now = {.by_queues = CAUSE_UNKNOWN};
    struct occupancy_rest left[RESOURCE_NR];

    for (int r = 0; r < RESOURCE_NR; r++) {
        left[r] = (struct occupancy_rest){1, 1};
        now.resource[r].min_s = exact(1);
    }
    now.resource[RESOURCE_MEMORY].min_s = exact(4);
    now.resource[RESOURCE_L1_QUEUE].min_s = around(8, 0, 8);
    now.resource[RESOURCE_L1_QUEUE].limit = exact(16);
    check_near(occupancy_bound(&now, exact(10), left).value, 10.0 / 8, 1e-9);
    now.resource[RESOURCE_L1_QUEUE].limit.high = INFINITY;
    check_between(occupancy_bound(&now, exact(10), left), 10.0 / 4, 10.0 / 8, 10.0 / 4,
                  1e-9);
}

/* A time that the figures do not allow is a bound of 1, no loss. */
TEST("bounds are never below one")
{
    struct machine machine = machine_made();
    struct occupancy_case input =
        case_of(&machine, memory_work(1e6, 1e6), 8 * 64e6 / 108e9, 8);
    struct occupancy now = computed(&input);
    struct occupancy_need need = need_of(8 * 64e6);
    struct occupancy_headroom left = occupancy_headroom(&now, input.time_s, &need);

    check(now.slack.value < 1);
    check(left.same.low >= 1 && left.same.value >= 1);
    check_near(left.min.high, 1, 1e-9);
    occupancy_release(&now);
}
