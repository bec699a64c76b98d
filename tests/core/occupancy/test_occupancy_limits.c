/* Why n is low, what memory reaches, bounds, and what stays unknown. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/rules.h"
#include "tests/core/occupancy/loop_by_hand.h"

SUITE(occupancy_limits);

static void check_why(const struct occupancy_case *input, enum cause want,
                      const char *sentence)
{
    struct occupancy now = computed(input);

    check_str(cause_word(now.diagnosis.cause), cause_word(want));
    check_contains(buf_str(&now.diagnosis.reason), sentence);
    occupancy_release(&now);
}

TEST("low occupancy has a reason")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 4, 1);

    check_why(&input, CAUSE_UNKNOWN, "does not explain why");
    input.l1_misses_per_instruction = exact(0.01); /* 5.1 in the window */
    check_why(&input, CAUSE_REORDER_BUFFER, "looks 512 instructions ahead");
    input.l1_misses_per_instruction = exact(0.2); /* 102: the window has plenty */
    check_why(&input, CAUSE_UNKNOWN, "4.02 misses are under way");
    input.chains = exact(4);
    check_why(&input, CAUSE_DEPENDENT_LOADS, "in 4 independent chains");
    input.chains = exact(1); /* more than that are under way: it is not this */
    check_why(&input, CAUSE_UNKNOWN, "does not explain why");
    input.chains = exact(12);
    check_why(&input, CAUSE_UNKNOWN, "does not explain why");
    input.work.page_walks = exact(1e6);
    input.time_s = exact(0.18 / 3);
    check_why(&input, CAUSE_PAGE_WALKS, "44 % of the time of a miss");
    input.work.page_walks = exact(0);
    input.work.l1_covered_from[2] = exact(9e5);
    check_why(&input, CAUSE_PREFETCHER, "where 48 could be");
}

TEST("arithmetic can be the reason")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e4, 1e4), 1e-2, 1);
    struct occupancy now;

    input.work.flops = exact(5.8e7); /* scalar code at 97 % of its rate */
    check_why(&input, CAUSE_ARITHMETIC, "where scalar code reaches 6 and vector code 48");
    input.work.flops = exact(4.5e8);
    now = computed(&input);
    check_eq(now.diagnosis.cause, CAUSE_ARITHMETIC);
    check_eq(now.diagnosis.cause, CAUSE_ARITHMETIC);
    check_contains(buf_str(&now.diagnosis.reason),
                   "45 billion floating-point operations");
    occupancy_release(&now);
}

static struct quantity memory_ceiling(const struct machine *machine, double reads,
                                      double writes, int cores)
{
    struct occupancy_case input = case_of(machine, memory_work(1e6, 0), 1, cores);
    struct occupancy now;
    struct quantity limit;

    input.work.memory_read_bytes = exact(reads);
    input.work.memory_write_bytes = exact(writes);
    now = computed(&input);
    limit = now.resource[RESOURCE_MEMORY].limit;
    occupancy_release(&now);
    return limit;
}

TEST("the memory ceiling follows the mix")
{
    struct machine machine = machine_made();

    check_between(memory_ceiling(&machine, 1, 0, 8), 100, 97, 103, 1e-9);
    check_between(memory_ceiling(&machine, 2, 1, 8), 90, 88, 92, 1e-9);
    check_between(memory_ceiling(&machine, 5, 1, 8), 95, 92.5, 97.5, 1e-9);
    check_between(memory_ceiling(&machine, 1, 1, 8), 85.5, 74.8, 92, 1e-9);
    /* two cores draw 16 GB/s each, less where the node gives less */
    check_near(memory_ceiling(&machine, 1, 0, 2).value, 32, 1e-9);
    check_near(memory_ceiling(&machine, 2, 1, 2).value, 32 * 0.9, 1e-9);
    machine.node_copy_gbs = quantity_unknown();
    check_near(memory_ceiling(&machine, 2, 1, 8).value, 90, 1e-9);
    machine.node_read_gbs = quantity_unknown();
    check(!memory_ceiling(&machine, 2, 1, 8).known);
    machine.peak_gbs = exact(128);
    check_between(memory_ceiling(&machine, 1, 0, 8), 102.4, 79.36, 121.6, 1e-9);
}

/* KNL: two cores a tile; A64FX: twelve a cluster; sharing 1: nobody says how many. */
TEST("cores share a queue")
{
    static const struct {
        const char *scope;
        int sharing, machine_cores, cores;
        double value, low, high;
    } cases[] = {
        {"core", 2, 8, 8, 48, 48, 48},    {"tile", 2, 8, 8, 24, 24, 24},
        {"tile", 2, 8, 4, 24, 24, 48}, /* on two tiles or on four */
        {"tile", 2, 8, 1, 48, 48, 48},    {"tile", 2, 7, 7, 24, 24, 48},
        {"cluster", 12, 48, 48, 4, 4, 4}, {"cluster", 12, 48, 24, 4, 4, 48},
        {"cluster", 12, 48, 6, 8, 8, 48}, {"cluster", 12, 5, 5, 9.6, 9.6, 48},
        {"cluster", 1, 8, 4, 12, 12, 48}, {"tile", 1, 8, 1, 48, 48, 48},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine = machine_made();
        struct occupancy_case input =
            case_of(&machine, memory_work(1e6, 1e6), 1, cases[i].cores);
        struct occupancy now;
        char scope[16];

        snprintf(scope, sizeof(scope), "%s", cases[i].scope);
        machine.cores = cases[i].machine_cores;
        machine.level[1].cores_sharing = cases[i].sharing;
        machine.l2_mshrs.scope = scope;
        now = computed(&input);
        check_between(now.resource[RESOURCE_L2_QUEUE].limit, cases[i].value, cases[i].low,
                      cases[i].high, 1e-9);
        occupancy_release(&now);
    }
}

TEST("a probed floor decides only not full")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 15, 1);
    struct occupancy now;

    machine.l1_mshrs.probe_is_floor = true;
    now = computed(&input);
    check_eq(now.resource[RESOURCE_L1_QUEUE].saturation, SATURATION_UNDECIDED);
    check_near(now.resource[RESOURCE_L1_QUEUE].min_s.low, 0, 0);
    occupancy_release(&now);
}

TEST("what is not known stays unknown")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 4, 1);
    struct occupancy now;

    input.time_s = quantity_unknown();
    now = computed(&input);
    check(!now.in_flight.known && !now.slack.known && !now.paper_n.known);
    check(now.resource[RESOURCE_L1_QUEUE].min_s.known);
    check_contains(buf_str(&now.diagnosis.reason), "is not known");
    occupancy_release(&now);
    input.time_s = exact(0.1 / 4);
    input.work.l1_fill_from[2] = quantity_unknown();
    now = computed(&input);
    check(!now.resource[RESOURCE_L1_QUEUE].n.known && !now.random_share.known);
    check_eq(now.resource[RESOURCE_L1_QUEUE].saturation, SATURATION_UNKNOWN);
    check(now.resource[RESOURCE_L2_QUEUE].n.known);
    occupancy_release(&now);
}

TEST("missing parts open the interval")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 4, 1);
    struct occupancy now;

    input.work.l1_fill_from[0] = quantity_unknown();
    now = computed(&input);
    check_near(now.resource[RESOURCE_L1_QUEUE].n.value, 4, 0.02);
    check(isinf(now.resource[RESOURCE_L1_QUEUE].n.high));
    check_eq(now.resource[RESOURCE_L1_QUEUE].saturation, SATURATION_UNDECIDED);
    occupancy_release(&now);
    input.work.l1_fill_from[0] = exact(0);
    input.work.l1_covered_from[2] = quantity_unknown(); /* all or none of them */
    now = computed(&input);
    check_between(now.resource[RESOURCE_L1_QUEUE].n, 2.11, 4 * 0.03, 4.02, 0.01);
    check(!now.random_share.known && !now.random);
    occupancy_release(&now);
}

/* Latency beyond the curve is at least its last point, without a curve at least the
 * unloaded one. */
TEST("the curve is not extrapolated")
{
    struct machine machine = machine_made();
    struct occupancy_case input =
        case_of(&machine, memory_work(1e6, 0), 512e6 / 120e9, 8);
    struct occupancy now = computed(&input);

    check_near(now.latency_ns.value, 210, 1e-9);
    check(isinf(now.latency_ns.high) && isinf(now.resource[RESOURCE_L1_QUEUE].n.high));
    occupancy_release(&now);
    machine.curve_nr = 0;
    now = computed(&input);
    check_near(now.latency_ns.low, 100, 1e-9);
    check(isinf(now.latency_ns.high));
    occupancy_release(&now);
}

static void all_left(struct occupancy_rest left[RESOURCE_NR])
{
    for (int r = 0; r < RESOURCE_NR; r++)
        left[r] = (struct occupancy_rest){1, 1};
}

static double bound_of(const struct occupancy *now, struct quantity time_s, double l1,
                       double memory)
{
    struct occupancy_rest left[RESOURCE_NR];
    struct quantity bound;

    all_left(left);
    left[RESOURCE_L1_QUEUE] = (struct occupancy_rest){l1, fmax(l1, 0)};
    left[RESOURCE_MEMORY] = (struct occupancy_rest){memory, fmax(memory, 0)};
    bound = occupancy_bound(now, time_s, left);
    return bound.known ? bound.value : NAN;
}

/* T_now 20, L1 16, memory 8, others less. */
TEST("bounds scale the work")
{
    struct occupancy now = {.by_queues = CAUSE_UNKNOWN};
    struct quantity time_s = exact(20);

    for (int r = 0; r < RESOURCE_NR; r++)
        now.resource[r].min_s = exact(1);
    now.resource[RESOURCE_L1_QUEUE].min_s = exact(16);
    now.resource[RESOURCE_MEMORY].min_s = exact(8);
    check_near(bound_of(&now, time_s, 1, 1), 1.25, 1e-9);
    check_near(bound_of(&now, time_s, 0.25, 1), 2.5, 1e-9);
    check_near(bound_of(&now, time_s, 0, 0.5), 5, 1e-9);
    check_near(bound_of(&now, time_s, 2, 1), 0.625, 1e-9);
    /* unknown work matters where it could limit */
    check(isnan(bound_of(&now, time_s, -1, 1)));
    check_near(bound_of(&now, time_s, 1, -1), 1.25, 1e-9);
    now.by_queues = CAUSE_CORE;
    check(isnan(bound_of(&now, time_s, 1, 1)));
}

TEST("bounds carry intervals")
{
    struct occupancy now = {.by_queues = CAUSE_UNKNOWN};
    struct occupancy_rest left[RESOURCE_NR];

    all_left(left);
    for (int r = 0; r < RESOURCE_NR; r++)
        now.resource[r].min_s = exact(1);
    now.resource[RESOURCE_L2_QUEUE].min_s = around(5, 4, 8);
    check_between(occupancy_bound(&now, around(10, 9, 12), left), 2, 9.0 / 8, 3, 1e-9);
    /* a resource nobody knows of may need all of the time */
    now.resource[RESOURCE_MEMORY].min_s = quantity_unknown();
    check_between(occupancy_bound(&now, around(10, 9, 12), left), 2, 1, 3, 1e-9);
    left[RESOURCE_MEMORY] = (struct occupancy_rest){0, 0};
    check_between(occupancy_bound(&now, around(10, 9, 12), left), 2, 9.0 / 8, 3, 1e-9);
    left[RESOURCE_MEMORY] = (struct occupancy_rest){-1, 0};
    check(!occupancy_bound(&now, around(10, 9, 12), left).known);
    for (int r = 0; r < RESOURCE_NR; r++)
        now.resource[r].min_s = quantity_unknown();
    left[RESOURCE_MEMORY] = (struct occupancy_rest){1, 1};
    check(!occupancy_bound(&now, exact(10), left).known);
}

/* T_now 10 to 10, L2 queue 4 to 5, memory 2. */
TEST("bounds know what is left at least")
{
    struct occupancy now = {.by_queues = CAUSE_UNKNOWN};
    struct occupancy_rest left[RESOURCE_NR];
    struct quantity bound;

    all_left(left);
    for (int r = 0; r < RESOURCE_NR; r++)
        now.resource[r].min_s = exact(1);
    now.resource[RESOURCE_L2_QUEUE].min_s = around(5, 4, 5);
    now.resource[RESOURCE_MEMORY].min_s = exact(2);
    left[RESOURCE_L2_QUEUE] = (struct occupancy_rest){0.8, 0.625};
    check_between(occupancy_bound(&now, exact(10), left), 2.5, 2.5, 4, 1e-9);
    /* less load on memory than on the queue: its latency may fall to a half */
    left[RESOURCE_MEMORY] = (struct occupancy_rest){0.5, 0.5};
    now.idle_latency_share = 0.5;
    check_between(occupancy_bound(&now, exact(10), left), 2.5, 2.5, 8, 1e-9);
    now.idle_latency_share = 0;
    check_between(occupancy_bound(&now, exact(10), left), 2.5, 2.5, 4, 1e-9);
    /* perhaps nothing is left of all that is known: open above, not unknown */
    for (int r = 0; r < RESOURCE_NR; r++)
        left[r].min = 0;
    bound = occupancy_bound(&now, exact(10), left);
    check_near(bound.value, 2.5, 1e-9);
    check(isinf(bound.high));
    /* nothing needed more than the time that it took */
    now.resource[RESOURCE_L2_QUEUE].min_s = around(20, 15, 40);
    left[RESOURCE_L2_QUEUE] = (struct occupancy_rest){0.5, 0.25};
    check_between(occupancy_bound(&now, exact(10), left), 2, 2, 4, 1e-9);
}

TEST("figures go out as JSON")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 4, 1);
    struct occupancy now = computed(&input);
    json_t *root = occupancy_to_json(&now), *first;

    check_eq(json_array_size(json_object_get(root, "resources")), RESOURCE_NONE);
    first = json_array_get(json_object_get(root, "resources"), 0);
    check_str(json_string_value(json_object_get(first, "resource")), "l1_mshrs");
    check_str(json_string_value(json_object_get(first, "fullness")), "not full");
    check_str(json_string_value(json_object_get(json_object_get(root, "cause"), "cause")),
              "unknown");
    check(json_is_object(json_object_get(root, "paper_n")));
    json_decref(root);
    occupancy_release(&now);
}

static void put_number(void *context, const char *metric, struct quantity value)
{
    struct error err = {0};

    check_ok(rule_facts_number(context, metric, value, &err), &err);
}

static void put_word(void *context, const char *metric, const char *word)
{
    struct error err = {0};

    check_ok(rule_facts_word(context, metric, word, &err), &err);
}

/* Every metric sent is one that rules know, every word, too. */
TEST("metrics have the names of rules")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 4, 1);
    struct occupancy now = computed(&input);
    struct occupancy_sink sink = {put_number, put_word, rule_facts_new()};
    json_t *facts;

    for (int cause = 0; cause < CAUSE_NR; cause++) {
        now.diagnosis.cause = (enum cause)cause;
        occupancy_metrics(&now, &sink);
    }
    facts = rule_facts_to_json(sink.context);
    check_near(json_number_value(
                   json_object_get(json_object_get(facts, "queue_utilization"), "value")),
               4.0 / 16, 0.02);
    check_near(
        json_number_value(json_object_get(json_object_get(facts, "l2_over_l1"), "value")),
        3, 1e-9);
    json_decref(facts);
    rule_facts_free(sink.context);
    occupancy_release(&now);
}

TEST("words go both ways")
{
    for (int r = 0; r < RESOURCE_NR; r++)
        check_eq(resource_from_word(resource_word(r)), r);
    for (int c = 0; c < CAUSE_NR; c++)
        check_eq(cause_from_word(cause_word(c)), c);
    check_eq(resource_from_word("mshrs"), RESOURCE_NR);
    check_str(saturation_word(SATURATION_UNDECIDED), "undecided");
    check_near(occupancy_paper_n(106.9, 145, 64, 24), 10.09, 1e-3);
}

/* Several caps: of those that explain what is under way the lowest is named, and all are
 * told. */
TEST("the tightest cap is named")
{
    static const struct {
        double chains, misses_per_instruction, per_branch_miss;
        enum cause want; /* of 4.02 under way */
        const char *sentence;
    } cases[] = {
        {4, 0.01, 600, CAUSE_DEPENDENT_LOADS, "in 4 independent chains"},
        {5, 0.008, 0, CAUSE_REORDER_BUFFER, "looks 512 instructions ahead"},
        {0, 0.01, 400, CAUSE_BRANCHES, "Every 400 instructions a branch"},
        {0, 0.2, 20, CAUSE_BRANCHES, "room for no more than 4 misses"},
        {0, 0.2, 2000, CAUSE_UNKNOWN, "does not explain why"},
        {12, 0.2, 2000, CAUSE_UNKNOWN, "does not explain why"},
        {1, 0.2, 1, CAUSE_UNKNOWN, "does not explain why"}, /* more than they allow */
    };
    struct machine machine = machine_made();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 4, 1);
        struct occupancy now;

        if (cases[i].chains > 0)
            input.chains = exact(cases[i].chains);
        input.l1_misses_per_instruction = exact(cases[i].misses_per_instruction);
        if (cases[i].per_branch_miss > 0)
            input.instructions_per_branch_miss = exact(cases[i].per_branch_miss);
        check_why(&input, cases[i].want, cases[i].sentence);
        now = computed(&input);
        check_near(now.n_window.value, 512 * cases[i].misses_per_instruction, 1e-9);
        check_eq(now.n_chains.known, cases[i].chains > 0);
        check_eq(now.n_branches.known, cases[i].per_branch_miss > 0);
        check(!now.n_branches.known || now.n_branches.value >= 1);
        occupancy_release(&now);
    }
}

/* Chains bound n only together with all that may miss beside them. */
TEST("chains may be an interval")
{
    static const struct {
        double low, high;
        enum cause want; /* of 4.02 under way */
    } cases[] = {
        {2, 5, CAUSE_DEPENDENT_LOADS},
        {2, 2, CAUSE_UNKNOWN},
        {2, INFINITY, CAUSE_UNKNOWN},
        {7, 9, CAUSE_UNKNOWN},
    };
    struct machine machine = machine_made();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 4, 1);

        input.chains = quantity_between(cases[i].low, cases[i].low, cases[i].high, 0,
                                        PROVENANCE_SOURCE);
        check_why(&input, cases[i].want, "");
    }
}

TEST("large code starves the core")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 4, 1);

    input.code_bytes = exact(20 << 10);
    check_why(&input, CAUSE_UNKNOWN, "does not explain why");
    input.code_bytes = exact(80 << 10);
    check_why(&input, CAUSE_FRONT_END, "80 KiB of instructions");
}

TEST("the prefetcher says why it is behind")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 1e6), 0.1 / 4, 1);

    check_why(&input, CAUSE_PREFETCHER, "at each page of 4 KiB it starts over");
    input.run_bytes = exact(640);
    check_why(&input, CAUSE_PREFETCHER, "ends after 10 cache lines");
    input.streams = exact(20);
    check_why(&input, CAUSE_PREFETCHER, "runs along 20 arrays at a time");
}
