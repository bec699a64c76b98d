/* Full, not full, undecided: which intervals the verdict comes from; and what a miss is
 * where it moves less than a line. */
#include <math.h>
#include <string.h>

#include "tests/core/occupancy/loop_by_hand.h"

SUITE(occupancy_verdict);

/* Lines of 128 bytes, of which a miss moves 64; 1 GiB/s is 1e9 / 64 misses a second. */
static struct machine power9_made(void)
{
    struct machine machine = machine_made();

    machine.line_bytes = 128;
    machine.transfer_bytes = 64;
    return machine;
}

static struct occupancy_work half_lines(double lines, double covered, double bytes)
{
    struct occupancy_work work = memory_work(lines, covered);

    work.memory_read_bytes = exact(bytes);
    return work;
}

/* 8 GB/s at 100 ns are 800 bytes under way: 12.5 misses, not 6.25 lines. */
TEST("misses are counted in what they move")
{
    struct machine machine = power9_made();
    struct occupancy_case input =
        case_of(&machine, half_lines(1e6, 1e6, 128e6), 128e6 / 8e9, 1);
    struct occupancy now = computed(&input);
    struct quantity gbs = machine_bandwidth_of(&machine, 16, 1, 1, NULL);

    check_near(now.paper_n.value, 8 * now.latency_ns.value / 64, 1e-9);
    /* a stream: prefetchers take both halves of each line */
    check_near(now.resource[RESOURCE_L2_QUEUE].n.value, now.paper_n.value, 1e-3);
    check_near(now.resource[RESOURCE_L2_QUEUE].n.high, now.paper_n.value, 1e-3);
    /* 16 misses of 64 bytes at about 101 ns */
    check_near(gbs.value, 16 * 64 / 101.8, 0.01);
    check_near(now.resource[RESOURCE_L1_QUEUE].carries_gbs.value, gbs.value, 1e-6);
    occupancy_release(&now);
}

/* Random reads need one half of each line, or both: only the bytes can tell. */
TEST("random misses move a half or a line")
{
    static const struct {
        double bytes, max;
    } cases[] = {{64e6, 1}, {128e6, 2}, {96e6, 1.5}};
    struct machine machine = power9_made();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct occupancy_case input =
            case_of(&machine, half_lines(1e6, 0, cases[i].bytes), 0.1 / 4, 1);
        struct occupancy now = computed(&input);
        struct quantity n = now.resource[RESOURCE_L1_QUEUE].n;

        check_near(n.value, 4, 0.03);
        check_near(n.high, 4 * cases[i].max, 0.03);
        check(n.low <= n.value);
        occupancy_release(&now);
    }
}

/* Where a miss moves a line, nothing changes. */
TEST("a whole line is the usual miss")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 5e5), 0.1 / 4, 1);
    struct occupancy unsaid = computed(&input), output;

    machine.transfer_bytes = 64;
    output = computed(&input);
    check_near(output.paper_n.value, unsaid.paper_n.value, 0);
    check_near(output.in_flight.value, unsaid.in_flight.value, 0);
    check_near(output.resource[RESOURCE_L2_QUEUE].min_s.value,
               unsaid.resource[RESOURCE_L2_QUEUE].min_s.value, 0);
    occupancy_release(&unsaid);
    occupancy_release(&output);
}

static enum saturation l1_verdict(const struct machine *machine, double n)
{
    struct occupancy_case input = case_of(machine, memory_work(1e6, 0), 0.1 / n, 1);
    struct occupancy now = computed(&input);
    enum saturation verdict = now.resource[RESOURCE_L1_QUEUE].saturation;

    occupancy_release(&now);
    return verdict;
}

/* Full for certain only against the highest limit, not full only against the lowest. */
TEST("the interval of the limit decides")
{
    static const struct {
        double n, low, value, high;
        bool floor; /* of a probe */
        enum saturation want;
    } cases[] = {
        {10, 10, 10, 10, false, SATURATED},
        {10, 10, 10, 16, false, SATURATION_UNDECIDED}, /* knee 10, table 16 */
        {14.5, 10, 12, 16, false, SATURATED},
        {10, 8, 12, 12, false, SATURATION_UNDECIDED},
        {6, 8, 12, 16, false, NOT_SATURATED},
        {10, 10, 10, INFINITY, false, SATURATION_UNDECIDED}, /* at least 10 */
        {8, 10, 10, INFINITY, false, NOT_SATURATED},
        {10, 10, 10, 10, true, SATURATION_UNDECIDED},
        {4, 10, 10, 10, true, NOT_SATURATED},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = machine_made();

        machine.l1_mshrs.used = quantity_between(cases[i].value, cases[i].low,
                                                 cases[i].high, 0, PROVENANCE_PROBE);
        machine.l1_mshrs.probe_is_floor = cases[i].floor;
        check_eq(l1_verdict(&machine, cases[i].n), cases[i].want);
    }
}

/* 14.5 of 16 at 100 ns: surely, perhaps, or surely not, as well as the latency is known.
 */
TEST("the interval of the latency decides")
{
    static const struct {
        double n, low, high;
        enum saturation want;
    } cases[] = {
        {14.5, 97, 103, SATURATED},
        {14.5, 80, 103, SATURATION_UNDECIDED},
        {12.5, 97, 103, NOT_SATURATED},
        {12.5, 97, 120, SATURATION_UNDECIDED},
        {12.5, 97, INFINITY, SATURATION_UNDECIDED}, /* nobody knows beyond the curve */
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = machine_made();
        struct machine_point point[] = {
            {.gbs = 0, .latency_ns = around(100, cases[i].low, cases[i].high)},
            {.gbs = 100, .latency_ns = around(100, cases[i].low, cases[i].high)}};
        struct machine_curve curve = {.read_share = 1, .point = point, .point_nr = 2};

        machine.curve = &curve;
        check_eq(l1_verdict(&machine, cases[i].n), cases[i].want);
    }
}

/* The same for a ceiling: measured 97 to 103 GB/s. */
TEST("the interval of a ceiling decides")
{
    static const struct {
        double gbs;
        enum saturation want;
    } cases[] = {{95, SATURATED}, {90, SATURATION_UNDECIDED}, {80, NOT_SATURATED}};
    struct machine machine = machine_made();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        double lines = 1e6, time_s = 8 * 64 * lines / (cases[i].gbs * 1e9);
        struct occupancy_case input =
            case_of(&machine, memory_work(lines, lines), time_s, 8);
        struct occupancy now = computed(&input);

        check_eq(now.resource[RESOURCE_MEMORY].saturation, cases[i].want);
        occupancy_release(&now);
    }
}

/* The busy profile: gather draws 11.5 of "at least 10.8" GB/s. */
TEST("a floor limits nothing")
{
    struct machine machine = machine_made();
    struct occupancy_case input =
        case_of(&machine, memory_work(1e6, 1e6), 64e6 / 11.5e9, 1);
    struct occupancy now;

    machine.one_core.read_gbs =
        quantity_between(10.8, 10.8, INFINITY, 9, PROVENANCE_PROBE);
    now = computed(&input);
    check_eq(now.resource[RESOURCE_MEMORY].saturation, SATURATION_UNDECIDED);
    check(now.diagnosis.cause != CAUSE_MEMORY_BANDWIDTH &&
          now.busiest != RESOURCE_MEMORY);
    check_str(cause_word(now.diagnosis.cause), "prefetcher");
    check_contains(buf_str(&now.diagnosis.reason),
                   "Whether memory bandwidth is at its limit is not known");
    check_contains(buf_str(&now.diagnosis.reason), "as much as that may be in use");
    check(now.slack.low <= 1);
    occupancy_release(&now);
    machine.one_core.read_gbs = exact(10.8); /* known from both sides, it does */
    now = computed(&input);
    check_eq(now.diagnosis.cause, CAUSE_MEMORY_BANDWIDTH);
    occupancy_release(&now);
}

struct metrics {
    bool l1_known, l2_known;
};

static void take_number(void *context, const char *metric, struct quantity value)
{
    struct metrics *seen = context;

    if (strcmp(metric, "l1_utilization") == 0 || strcmp(metric, "l1_occupancy") == 0 ||
        strcmp(metric, "queue_utilization") == 0 || strcmp(metric, "in_flight") == 0)
        seen->l1_known |= value.known;
    if (strcmp(metric, "l2_utilization") == 0)
        seen->l2_known = value.known;
}

static void take_word(void *context, const char *metric, const char *word)
{
    (void)context;
    if (strcmp(metric, "cause") == 0)
        check_str(word, "unknown");
}

/* Random reads that keep 22.6 of 16 places taken, of which one figure is wrong. */
static void check_doubted(const struct machine *machine, const char *says)
{
    struct occupancy_case input = case_of(machine, memory_work(1e6, 0), 0.1 / 22.6, 1);
    struct occupancy now = computed(&input);
    const struct occupancy_sink sink = {take_number, take_word, NULL};
    struct occupancy_sink to = sink;
    struct metrics seen = {0};

    to.context = &seen;
    check_eq(now.resource[RESOURCE_L1_QUEUE].saturation, SATURATION_IMPOSSIBLE);
    check_contains(buf_str(&now.diagnosis.reason), "of 16 entries of the L1 miss queue");
    check_contains(buf_str(&now.diagnosis.reason), says);
    check_contains(buf_str(&now.diagnosis.reason), "Nothing is concluded from it");
    check(!strstr(buf_str(&now.diagnosis.reason), "Nothing that was counted is at its"));
    check_contains(buf_str(&now.diagnosis.reason), "contradict each other");
    check(!now.in_flight.known && now.diagnosis.cause != CAUSE_L1_MSHRS);
    occupancy_metrics(&now, &to);
    check(!seen.l1_known && seen.l2_known);
    occupancy_release(&now);
}

TEST("what cannot be is in doubt")
{
    struct machine machine = machine_made();

    machine.one_core.read_gbs = exact(40); /* it is not this */
    /* 230 M lines/s, where random reads reach 160 M */
    check_doubted(&machine, "the traffic is in doubt");
    machine.one_core.random_lines_per_s = exact(300e6);
    check_doubted(&machine, "the latency is in doubt");
    machine.l1_mshrs.probe = around(20, 17, 24);
    check_doubted(&machine, "the number of entries is in doubt");
}

/* As much beyond the limit as probes differ: full, as before. */
TEST("a little more than all is full")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 16.5, 1);
    struct occupancy now = computed(&input);

    check_eq(now.resource[RESOURCE_L1_QUEUE].saturation, SATURATED);
    check_eq(now.diagnosis.cause, CAUSE_L1_MSHRS);
    occupancy_release(&now);
}
