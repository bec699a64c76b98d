/* Intervals: the best guess lies inside, and knowing less never tells more. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/core/occupancy/loop_by_hand.h"

SUITE(occupancy_intervals);

enum { cases_nr = 400, outputs_max = 7 * RESOURCE_NONE + 16 };

static double random_unit(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

static struct quantity random_around(uint32_t *state, double max)
{
    double value = max * random_unit(state);

    return quantity_between(value, value * (1 - 0.2 * random_unit(state)),
                            value * (1 + 0.2 * random_unit(state)), 10, PROVENANCE_CLOCK);
}

/* Loops of all kinds: from caches and memory, streams and not, stores, walks. */
static struct occupancy_case random_case(const struct machine *machine, uint32_t *state)
{
    struct occupancy_work work = no_work();
    double lines = 1e6;

    for (int k = 0; k < 3; k++)
        work.l1_fill_from[k] = random_around(state, lines);
    for (int k = 1; k < 3; k++)
        work.l1_covered_from[k] =
            quantity_scale(work.l1_fill_from[k], 0.8 * random_unit(state));
    work.l2_fill_from_l3 = work.l1_fill_from[1];
    work.l2_fill_from_memory = work.l1_fill_from[2];
    work.memory_read_bytes = quantity_scale(work.l2_fill_from_memory, 64);
    work.memory_write_bytes = random_around(state, 64 * lines);
    work.page_walks = random_around(state, lines);
    work.flops = random_around(state, 1e7);
    struct occupancy_case input =
        case_of(machine, work, 0.01, 1 + (int)(8 * random_unit(state)));
    input.time_s = random_around(state, 0.1);
    input.time_s = quantity_add(input.time_s, exact(1e-3));
    input.chains = random_around(state, 10);
    input.l1_misses_per_instruction = random_around(state, 0.1);
    input.instructions_per_branch_miss = random_around(state, 1000);
    return input;
}

static struct quantity *input_of(struct occupancy_case *input, size_t i)
{
    struct quantity *const all[] = {
        &input->time_s,
        &input->work.l1_fill_from[0],
        &input->work.l1_fill_from[1],
        &input->work.l1_fill_from[2],
        &input->work.l1_covered_from[1],
        &input->work.l1_covered_from[2],
        &input->work.l2_fill_from_l3,
        &input->work.l2_fill_from_memory,
        &input->work.memory_read_bytes,
        &input->work.memory_write_bytes,
        &input->work.page_walks,
        &input->work.flops,
        &input->chains,
        &input->l1_misses_per_instruction,
        &input->instructions_per_branch_miss,
    };

    return i < ARRAY_SIZE(all) ? all[i] : NULL;
}

struct output {
    const char *name;
    struct quantity value;
};

static size_t outputs_of(const struct occupancy *now, struct output *out)
{
    const struct output ratios[] = {
        {"bandwidth", now->bandwidth_gbs},
        {"read share", now->read_share},
        {"latency", now->latency_ns},
        {"paper's n", now->paper_n},
        {"random share", now->random_share},
        {"in flight", now->in_flight},
        {"translation share", now->translation_share},
        {"n chains", now->n_chains},
        {"n window", now->n_window},
        {"n branches", now->n_branches},
    };
    size_t nr = ARRAY_SIZE(ratios);

    memcpy(out, ratios, sizeof(ratios));
    for (int r = 0; r < RESOURCE_NONE; r++) {
        const struct occupancy_resource *at = &now->resource[r];
        const struct output figures[] = {
            {"rate", at->rate},
            {"hold", at->residency_ns},
            {"n", at->n},
            {"limit", at->limit},
            {"least", at->min_s},
            {"utilization", at->utilization},
            {"carries", at->carries_gbs},
        };

        memcpy(out + nr, figures, sizeof(figures));
        nr += ARRAY_SIZE(figures);
    }
    return nr;
}

/* Figures that contradict each other tell nothing; vaguer ones may not. */
static bool is_contradictory(const struct occupancy *now)
{
    bool found = false;

    for (int r = 0; r < RESOURCE_NONE; r++)
        found |= now->resource[r].saturation == SATURATION_IMPOSSIBLE;
    return found;
}

TEST("the guess lies inside")
{
    struct machine machine = machine_made();
    uint32_t state = 7;

    for (int i = 0; i < cases_nr; i++) {
        struct occupancy_case input = random_case(&machine, &state);
        struct occupancy now = computed(&input);
        struct output out[outputs_max];
        size_t nr = outputs_of(&now, out);

        for (size_t k = 0; k < nr; k++)
            if (out[k].value.known && !(out[k].value.low <= out[k].value.value &&
                                        out[k].value.value <= out[k].value.high))
                check_str(out[k].name, "inside its interval");
        check(now.in_flight.known || is_contradictory(&now));
        occupancy_release(&now);
    }
}

/* Exact inputs at any point of the intervals give results inside of what the intervals
 * give. */
TEST("whatever is true lies inside")
{
    struct machine machine = machine_made();
    uint32_t state = 11;

    for (int i = 0; i < cases_nr; i++) {
        struct occupancy_case input = random_case(&machine, &state), truth = input;
        struct occupancy wide = computed(&input), now;
        double place = random_unit(&state);
        struct quantity *at;

        /* lines, and the bytes they are, are off together */
        for (size_t k = 0; (at = input_of(&truth, k)); k++)
            *at = exact(at->low + place * (at->high - at->low));
        now = computed(&truth);
        check(now.bandwidth_gbs.value >= wide.bandwidth_gbs.low * (1 - 1e-9));
        check(now.bandwidth_gbs.value <= wide.bandwidth_gbs.high * (1 + 1e-9));
        check(now.paper_n.value >= wide.paper_n.low * (1 - 1e-9));
        check(now.paper_n.value <= wide.paper_n.high * (1 + 1e-9));
        if (now.in_flight.known && check(wide.in_flight.known)) {
            check(now.in_flight.value >= wide.in_flight.low * (1 - 1e-9));
            check(now.in_flight.value <= wide.in_flight.high * (1 + 1e-9));
        }
        occupancy_release(&wide);
        occupancy_release(&now);
    }
}

/* Unknown is as wide as can be. */
static void check_not_narrower(const struct output *wide, const struct output *narrow,
                               size_t input)
{
    bool holds = !wide->value.known ||
                 (narrow->value.known &&
                  wide->value.low <= narrow->value.low + 1e-9 * fabs(narrow->value.low) &&
                  wide->value.high * (1 + 1e-9) >= narrow->value.high);

    if (!holds) {
        char *what = xasprintf("%s, input %zu: [%g %g] of [%g %g]", wide->name, input,
                               wide->value.low, wide->value.high, narrow->value.low,
                               narrow->value.high);
        check_str(what, "not narrower");
        free(what);
    }
}

TEST("knowing less never tells more")
{
    struct machine machine = machine_made();
    uint32_t state = 3;

    for (int i = 0; i < cases_nr; i++) {
        struct occupancy_case input = random_case(&machine, &state);
        struct occupancy now = computed(&input);
        struct output narrow[outputs_max], wide[outputs_max];
        size_t nr = outputs_of(&now, narrow);

        for (size_t k = 0; input_of(&input, k); k++) {
            struct occupancy_case vague = input;
            struct quantity *at = input_of(&vague, k);
            struct occupancy less;

            at->low *= 1 - 0.3 * random_unit(&state);
            at->high *= 1 + 0.3 * random_unit(&state);
            less = computed(&vague);
            outputs_of(&less, wide);
            for (size_t o = 0; o < nr && !is_contradictory(&now); o++)
                check_not_narrower(&wide[o], &narrow[o], k);
            occupancy_release(&less);
        }
        occupancy_release(&now);
    }
    check(state != 3);
}

/* What the machine's profile is not sure of, too. */
TEST("a vague machine never tells more")
{
    uint32_t state = 5;

    for (int i = 0; i < cases_nr; i++) {
        struct machine sure = machine_made(), vague = machine_made();
        struct occupancy_case input = random_case(&sure, &state);
        struct occupancy now = computed(&input), less;
        struct output narrow[outputs_max], wide[outputs_max];
        size_t nr = outputs_of(&now, narrow);

        for (int k = 0; k < 3; k++)
            vague.level[k].latency_ns = around(sure.level[k].latency_ns.value,
                                               0.8 * sure.level[k].latency_ns.value,
                                               1.3 * sure.level[k].latency_ns.value);
        vague.small_pages.translation_ns = around(80, 60, 100);
        vague.node_read_gbs = around(100, 90, 110);
        vague.l1_mshrs.used = around(16, 14, 18);
        vague.l2_mshrs.used = around(48, 40, 50);
        vague.flops_double.fma = around(48e9, 40e9, 50e9);
        input.machine = &vague;
        less = computed(&input);
        outputs_of(&less, wide);
        for (size_t o = 0; o < nr && !is_contradictory(&now); o++)
            check_not_narrower(&wide[o], &narrow[o], 99);
        occupancy_release(&now);
        occupancy_release(&less);
    }
}
