/* Counter-experiments on machines of known physics: prediction, observation, verdict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/finish/confirm.h"
#include "tests/core/occupancy/loop_by_hand.h"

SUITE(search_confirm);

/* A loop whose time follows `physics`, beside the diagnosis that the model gives it. */
struct laboratory {
    struct machine machine;
    struct confirm_case about;
    struct occupancy now;
    double speedup, noise; /* what the change really does */
    enum confirm_kind ran;
    struct confirm_setup setup;
    const char *why; /* it cannot be run */
};

static void open_laboratory(struct laboratory *lab, struct occupancy_work work,
                            double time_s, int cores)
{
    *lab = (struct laboratory){
        .machine = machine_made(), .ran = CONFIRM_NONE, .noise = 0.01, .speedup = 1};
    lab->about =
        (struct confirm_case){.input = case_of(&lab->machine, work, time_s, cores),
                              .footprint_bytes = 1e9,
                              .l2_bytes = 1 << 20,
                              .can_shrink = true};
}

static void diagnose(struct laboratory *lab)
{
    lab->about.input.machine = &lab->machine;
    lab->now = computed(&lab->about.input);
    lab->about.now = &lab->now;
}

static int act(void *data, const struct confirm_setup *setup, struct quantity *ratio,
               char **why, struct error *err)
{
    struct laboratory *lab = data;

    (void)err;
    lab->ran = setup->kind;
    lab->setup = *setup;
    *ratio = quantity_between(lab->speedup, lab->speedup * (1 - lab->noise),
                              lab->speedup * (1 + lab->noise), 6, PROVENANCE_CLOCK);
    if (lab->why) {
        *ratio = quantity_unknown();
        *why = xstrdup(lab->why);
    }
    return 0;
}

static void experiment(struct laboratory *lab, double speedup, enum confirm_kind kind,
                       enum confirm_verdict want, const char *words)
{
    struct confirm_runner runner = {lab, act};
    struct confirm_result result;
    struct error err = {0};

    lab->speedup = speedup;
    check_ok(confirm_run(&lab->about, &runner, &result, &err), &err);
    check_str(confirm_word(result.kind), confirm_word(kind));
    check_str(confirm_verdict_word(result.verdict), confirm_verdict_word(want));
    check_contains(result.sentence, words);
    confirm_release(&result);
}

/* Eight cores at 96 of 100 GB/s; four of them can draw 64: each gets 16 instead of 12. */
TEST("half of the copies relieve memory")
{
    struct laboratory lab;
    struct quantity predicted, rival;

    open_laboratory(&lab, memory_work(1e6, 1e6), 8 * 64e6 / 96e9, 8);
    diagnose(&lab);
    check_eq(lab.now.diagnosis.cause, CAUSE_MEMORY_BANDWIDTH);
    check(confirm_predict(&lab.about, CONFIRM_HALF_COPIES, &predicted, &rival));
    check_near(predicted.value, 2 * 64.0 / 100, 0.01);
    experiment(
        &lab, 1.28, CONFIRM_HALF_COPIES, CONFIRM_VERDICT_CONFIRMED,
        "If the loop is bound by memory bandwidth, an iteration with half of the copies "
        "runs 1.28x");
    check_eq(lab.setup.copies, 4);
    experiment(&lab, 1.0, CONFIRM_HALF_COPIES, CONFIRM_VERDICT_REFUTED,
               "Measured: 1.00x (0.99 to 1.01); the diagnosis is refuted");
    lab.noise = 0.3;
    experiment(&lab, 1.15, CONFIRM_HALF_COPIES, CONFIRM_VERDICT_UNDECIDED,
               "both are possible within the noise");
    occupancy_release(&lab.now);
}

/* One chain of 100 ns a core uses little of memory: others in it or not, it stays; from
 * L2 (5 ns) a link takes a twentieth. */
TEST("a chain stays with fewer copies")
{
    struct laboratory lab;
    struct quantity predicted, rival;

    open_laboratory(&lab, memory_work(1e6, 0), 0.105, 8);
    lab.about.input.chains = exact(1);
    lab.machine.one_core.read_gbs = exact(50);
    diagnose(&lab);
    check_eq(lab.now.diagnosis.cause, CAUSE_DEPENDENT_LOADS);
    check(confirm_predict(&lab.about, CONFIRM_HALF_COPIES, &predicted, &rival));
    check(predicted.value < 1.1 && rival.value > 1.5);
    experiment(&lab, 1.02, CONFIRM_HALF_COPIES, CONFIRM_VERDICT_CONFIRMED,
               "If the loop is bound by the latency of dependent loads");
    experiment(&lab, 1.9, CONFIRM_HALF_COPIES, CONFIRM_VERDICT_REFUTED, "is refuted");
    occupancy_release(&lab.now);
}

TEST("a single copy of a chain gets faster near")
{
    struct laboratory lab;
    struct quantity predicted, rival;

    open_laboratory(&lab, memory_work(1e6, 0), 0.105, 1);
    lab.about.input.chains = exact(1);
    diagnose(&lab);
    check(confirm_predict(&lab.about, CONFIRM_SMALLER, &predicted, &rival));
    check_near(predicted.value, 20, 0.1);
    check_near(predicted.low, 1.15, 0.001);
    experiment(&lab, 12, CONFIRM_SMALLER, CONFIRM_VERDICT_CONFIRMED, "data that fit L2");
    check_near(lab.setup.footprint_bytes, 1 << 19, 0);
    experiment(&lab, 1.01, CONFIRM_SMALLER, CONFIRM_VERDICT_REFUTED, "is refuted");
    experiment(&lab, 60, CONFIRM_SMALLER, CONFIRM_VERDICT_REFUTED, "is refuted");
    occupancy_release(&lab.now);
}

/* Slower than any resource explains: near, it may reach its limit. */
TEST("a loop far from its limit may gain its distance")
{
    struct laboratory lab;
    struct quantity predicted, rival;

    open_laboratory(&lab, memory_work(1e6, 1e6), 0.05, 1);
    diagnose(&lab);
    check(lab.now.slack.value > 5);
    check(confirm_predict(&lab.about, CONFIRM_SMALLER, &predicted, &rival));
    check(predicted.high > 5 * predicted.value);
    experiment(&lab, 5 * predicted.value, CONFIRM_SMALLER, CONFIRM_VERDICT_CONFIRMED,
               "is confirmed");
    occupancy_release(&lab.now);
}

/* 40e9 of 48e9 FLOP/s: smaller data change nothing. */
TEST("arithmetic does not care for size")
{
    struct laboratory lab;
    struct occupancy_work work = no_work();

    work.flops = exact(4e9);
    open_laboratory(&lab, work, 0.1, 1);
    diagnose(&lab);
    check_eq(lab.now.diagnosis.cause, CAUSE_ARITHMETIC);
    experiment(&lab, 1.03, CONFIRM_SMALLER, CONFIRM_VERDICT_CONFIRMED,
               "If the loop is bound by throughput of the execution units");
    experiment(&lab, 2, CONFIRM_SMALLER, CONFIRM_VERDICT_REFUTED, "is refuted");
    occupancy_release(&lab.now);
}

/* A walk for every miss, 27 ns each on small pages and 17 on huge ones. */
TEST("huge pages relieve walkers")
{
    struct laboratory lab;
    struct quantity predicted, rival;
    struct occupancy_work work = memory_work(1e6, 0);

    work.page_walks = exact(1e6);
    open_laboratory(&lab, work, 0.0275, 1);
    lab.about.huge_pages_available = true;
    diagnose(&lab);
    check_eq(lab.now.diagnosis.cause, CAUSE_PAGE_WALKS);
    check(confirm_predict(&lab.about, CONFIRM_HUGE_PAGES, &predicted, &rival));
    check_near(predicted.value, 27.0 / 17, 0.01);
    experiment(&lab, 1.55, CONFIRM_HUGE_PAGES, CONFIRM_VERDICT_CONFIRMED,
               "If the loop is bound by page walks (TLB misses), an iteration with the "
               "arrays on huge pages");
    experiment(&lab, 0.99, CONFIRM_HUGE_PAGES, CONFIRM_VERDICT_REFUTED, "is refuted");
    lab.about.huge_pages_available = false; /* the next that decides */
    check(!confirm_predict(&lab.about, CONFIRM_HUGE_PAGES, &predicted, &rival));
    experiment(&lab, 3, CONFIRM_SMALLER, CONFIRM_VERDICT_CONFIRMED, "data that fit L2");
    occupancy_release(&lab.now);
}

/* Ten random misses at a time in 16 entries; in order the prefetcher brings them. */
TEST("indices in order relieve the miss queue")
{
    struct laboratory lab;
    struct quantity predicted, rival;

    open_laboratory(&lab, memory_work(1e6, 0), 1e6 * 100e-9 / 15, 1);
    lab.about.table_bytes = 64e5; /* each line is met ten times */
    diagnose(&lab);
    check_eq(lab.now.diagnosis.cause, CAUSE_L1_MSHRS);
    check(confirm_predict(&lab.about, CONFIRM_ORDERED, &predicted, &rival));
    check(predicted.low >= 1.15 && predicted.value > 2);
    experiment(&lab, predicted.value, CONFIRM_ORDERED, CONFIRM_VERDICT_CONFIRMED,
               "with the indices in ascending order runs");
    experiment(&lab, 1.0, CONFIRM_ORDERED, CONFIRM_VERDICT_REFUTED, "is refuted");
    lab.about.table_bytes = 0; /* no indices that could be ordered */
    check(!confirm_predict(&lab.about, CONFIRM_ORDERED, &predicted, &rival));
    occupancy_release(&lab.now);
}

/* Cores that cannot draw more alone: nothing there would tell bandwidth from the rest. */
TEST("an experiment that decides nothing is not made")
{
    struct laboratory lab;

    open_laboratory(&lab, memory_work(1e6, 1e6), 8 * 64e6 / 96e9, 8);
    lab.machine.one_core.read_gbs = exact(12.5);
    lab.about.can_shrink = false;
    diagnose(&lab);
    experiment(&lab, 1, CONFIRM_NONE, CONFIRM_VERDICT_NOT_DONE, "so none was made");
    check_eq(lab.ran, CONFIRM_NONE);
    experiment(&lab, 1, CONFIRM_NONE, CONFIRM_VERDICT_NOT_DONE, "hardware prefetcher");
    lab.about.can_shrink = true; /* a smaller footprint does */
    experiment(&lab, 1.4, CONFIRM_SMALLER, CONFIRM_VERDICT_CONFIRMED, "confirmed");
    occupancy_release(&lab.now);
}

/* Five random misses under way of sixteen, and nothing says why. */
TEST("without a diagnosis nothing is tested")
{
    struct laboratory lab;

    open_laboratory(&lab, memory_work(1e6, 0), 1e6 * 100e-9 / 5, 8);
    diagnose(&lab);
    check_eq(lab.now.diagnosis.cause, CAUSE_UNKNOWN);
    experiment(&lab, 1, CONFIRM_NONE, CONFIRM_VERDICT_NOT_DONE,
               "is not known, so there is no diagnosis to test.");
    occupancy_release(&lab.now);
}

TEST("what cannot be run is said")
{
    struct laboratory lab;

    open_laboratory(&lab, memory_work(1e6, 0), 0.105, 1);
    lab.about.input.chains = exact(1);
    lab.why = "its sizes contradict its contents";
    diagnose(&lab);
    experiment(&lab, 1, CONFIRM_SMALLER, CONFIRM_VERDICT_NOT_DONE,
               "Not measured: its sizes contradict its contents.");
    occupancy_release(&lab.now);
}

static struct quantity span(double low, double high)
{
    return quantity_between(sqrt(low * high), low, high, 6, PROVENANCE_CLOCK);
}

TEST("judging needs both predictions")
{
    struct quantity predicted = span(1.4, 1.8), rival = span(0.95, 1.05);

    check_eq(confirm_judge(predicted, rival, span(1.5, 1.6)), CONFIRM_VERDICT_CONFIRMED);
    check_eq(confirm_judge(predicted, rival, span(1.2, 1.5)), CONFIRM_VERDICT_CONFIRMED);
    check_eq(confirm_judge(predicted, rival, span(1.0, 1.5)), CONFIRM_VERDICT_UNDECIDED);
    check_eq(confirm_judge(predicted, rival, span(1.1, 1.3)), CONFIRM_VERDICT_REFUTED);
    check_eq(confirm_judge(predicted, rival, span(0.9, 1.1)), CONFIRM_VERDICT_REFUTED);
    check_eq(confirm_judge(predicted, rival, span(2.0, 2.2)), CONFIRM_VERDICT_REFUTED);
    check_eq(confirm_judge(predicted, rival, quantity_unknown()),
             CONFIRM_VERDICT_NOT_DONE);
}

TEST("the document holds all three ratios")
{
    struct confirm_result result = {.kind = CONFIRM_HALF_COPIES,
                                    .verdict = CONFIRM_VERDICT_CONFIRMED,
                                    .predicted = span(1.4, 1.8),
                                    .rival = span(0.95, 1.05),
                                    .observed = span(1.5, 1.6),
                                    .sentence = xstrdup("So it is.")};
    json_t *document = confirm_to_json(&result);

    check_str(json_string_value(json_object_get(document, "experiment")), "half-copies");
    check_str(json_string_value(json_object_get(document, "verdict")), "confirmed");
    check_str(json_string_value(json_object_get(document, "sentence")), "So it is.");
    check_near(
        json_number_value(json_object_get(json_object_get(document, "predicted"), "low")),
        1.4, 1e-9);
    check_near(
        json_number_value(json_object_get(json_object_get(document, "observed"), "high")),
        1.6, 1e-9);
    check(json_is_object(json_object_get(document, "if_wrong")));
    json_decref(document);
    confirm_release(&result);
}
