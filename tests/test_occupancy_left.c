/* What is left: with the work as it is, with the least work, and who sets it. */
#include <CUnit/CUnit.h>
#include <math.h>

#include "tests/test_occupancy_fixture.h"

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

static void a_stream_at_the_ceiling_is_reached(void)
{
    struct machine machine = machine_made();
    struct occupancy_case input = streaming(&machine);
    struct occupancy now = computed(&input);
    struct occupancy_need need = need_of(8 * 64e6);
    struct occupancy_left left = occupancy_left(&now, input.time_s, &need);

    check(left.reached);
    check_eq(left.same_by, RESOURCE_MEMORY);
    check_eq(left.least_by, RESOURCE_MEMORY);
    check_near(left.same.value, 100.0 / 96, 0.01);
    check_near(left.least.value, 100.0 / 96, 0.01);
    check(left.same.low >= 1);
    occupancy_release(&now);
}

/* A quarter of what moves is needed: four times as much is left for plans that save it.
 */
static void less_work_allows_more(void)
{
    struct machine machine = machine_made();
    struct occupancy_case input = streaming(&machine);
    struct occupancy now = computed(&input);
    struct occupancy_need need = need_of(2 * 64e6);
    struct occupancy_left left = occupancy_left(&now, input.time_s, &need);

    check_near(left.least.value, 4 * 100.0 / 96, 0.01);
    check(left.least.value > left.same.value);
    need.memory_bytes.low = 0; /* perhaps nothing at all */
    left = occupancy_left(&now, input.time_s, &need);
    check_near(left.least.value, 4 * 100.0 / 96, 0.01);
    check(isinf(left.least.high));
    occupancy_release(&now);
}

/* 48e9 FLOP/s of doubles: 0.1 s of them, and half as long for floats. */
static void arithmetic_that_must_be_done_bounds(void)
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, no_work(), 0.2, 8);
    struct occupancy_need need = need_of(-1);
    struct occupancy now;
    struct occupancy_left left;

    input.work.flops = exact(4.8e9);
    now = computed(&input);
    left = occupancy_left(&now, input.time_s, &need);
    check_near(left.least.value, 2, 0.001);
    check_eq(left.least_by, RESOURCE_ARITHMETIC);
    need.flop_ratio = 2;
    left = occupancy_left(&now, input.time_s, &need);
    check_near(left.least.value, 4, 0.001);
    occupancy_release(&now);
}

/* One chain of misses of 100 ns each: 16 entries would allow 16 times more, the chain
 * nothing. */
static void chains_bound_what_queues_do_not(void)
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.105, 1);
    struct occupancy_need need = need_of(-1);
    struct occupancy now;
    struct occupancy_left left;

    input.chains = exact(1);
    now = computed(&input);
    check_eq(now.why, OCCUPANCY_WHY_CHAINS);
    left = occupancy_left(&now, input.time_s, &need);
    check(now.slack.value > 5);
    check(left.same_by_chains && left.least_by_chains && left.reached);
    check(left.same.value < 1.2);
    check_near(left.least.value, left.same.value, 1e-9);
    occupancy_release(&now);
}

static void without_evidence_there_is_no_bound(void)
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, no_work(), 0.2, 8);
    struct occupancy_need need = need_of(-1);
    struct occupancy now;
    struct occupancy_left left;

    input.work.flops = quantity_unknown();
    now = computed(&input);
    left = occupancy_left(&now, input.time_s, &need);
    check(!left.least.known && !left.same.known && !left.reached);
    check_eq(left.least_by, RESOURCE_NONE);
    check_eq(left.same_by, RESOURCE_NONE);
    occupancy_release(&now);
}

/* What memory can do at least is no bound of what a plan may gain. */
static void a_floor_of_memory_bounds_nothing(void)
{
    struct machine machine = machine_made();
    struct occupancy_case input = streaming(&machine);
    struct occupancy now = computed(&input);
    struct occupancy_need need = need_of(2 * 64e6);
    struct occupancy_left left;

    need.memory_gbs.high = INFINITY;
    left = occupancy_left(&now, input.time_s, &need);
    check(left.least_by != RESOURCE_MEMORY || !left.least.known ||
          left.least.value <= left.same.value);
    check(!left.least.known || left.least.value < 2);
    occupancy_release(&now);
}

/* A queue shared by nobody knows how many has an eighth of its places at least, which is
 * no guess of what it has: 12 in flight do not make it the limiter. */
static void the_least_share_of_a_queue_is_no_limiter(void)
{
    char scope[] = "cluster";
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 1e6), 0.1 / 5, 8);
    struct occupancy now;

    machine.l2_mshrs.scope = scope;
    machine.l2_mshrs.used = around(48, 40, 56);
    now = computed(&input);
    check_between(now.resource[RESOURCE_L2_QUEUE].limit, 5, 5, 56, 1e-9);
    check(now.busiest != RESOURCE_L2_QUEUE && now.limiter != RESOURCE_L2_QUEUE);
    occupancy_release(&now);
}

/* L1 needs 8 of 10 s if it has no more places than were seen: nobody knows. */
static void a_floor_bounds_nothing(void)
{
    struct occupancy now = {.why = OCCUPANCY_WHY_UNKNOWN};
    struct occupancy_rest left[RESOURCE_NR];

    for (int r = 0; r < RESOURCE_NR; r++) {
        left[r] = (struct occupancy_rest){1, 1};
        now.resource[r].least_s = exact(1);
    }
    now.resource[RESOURCE_MEMORY].least_s = exact(4);
    now.resource[RESOURCE_L1_QUEUE].least_s = around(8, 0, 8);
    now.resource[RESOURCE_L1_QUEUE].limit = exact(16);
    check_near(occupancy_bound(&now, exact(10), left).value, 10.0 / 8, 1e-9);
    now.resource[RESOURCE_L1_QUEUE].limit.high = INFINITY;
    check_between(occupancy_bound(&now, exact(10), left), 10.0 / 4, 10.0 / 8, 10.0 / 4,
                  1e-9);
}

/* A time that the figures do not allow is a bound of 1, no loss. */
static void bounds_are_never_below_one(void)
{
    struct machine machine = machine_made();
    struct occupancy_case input =
        case_of(&machine, memory_work(1e6, 1e6), 8 * 64e6 / 108e9, 8);
    struct occupancy now = computed(&input);
    struct occupancy_need need = need_of(8 * 64e6);
    struct occupancy_left left = occupancy_left(&now, input.time_s, &need);

    check(now.slack.value < 1);
    check(left.same.low >= 1 && left.same.value >= 1);
    check_near(left.least.high, 1, 1e-9);
    occupancy_release(&now);
}

CU_TestInfo occupancy_left_tests[] = {
    {"a stream at the ceiling is reached", a_stream_at_the_ceiling_is_reached},
    {"less work allows more", less_work_allows_more},
    {"arithmetic that must be done bounds", arithmetic_that_must_be_done_bounds},
    {"chains bound what queues do not", chains_bound_what_queues_do_not},
    {"without evidence there is no bound", without_evidence_there_is_no_bound},
    {"a floor of memory bounds nothing", a_floor_of_memory_bounds_nothing},
    {"the least share of a queue is no limiter",
     the_least_share_of_a_queue_is_no_limiter},
    {"a floor bounds nothing", a_floor_bounds_nothing},
    {"bounds are never below one", bounds_are_never_below_one},
    CU_TEST_INFO_NULL,
};
