/*
 * Advice from numbers alone: the paper's 47 rows on the shipped profiles, and what if
 * some numbers were otherwise. Prints how far the worst row is off.
 */
#include "advisor/report/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advisor/commands/what_if.h"
#include "tests/check.h"

SUITE(advisor_numbers);

static const char rows_path[] = INFLIGHT_SOURCE_DIR "/tests/data/paper/rows.json";

/* A profile has one curve for rows of several mixes. */
static const double latency_tolerance = 0.08, occupancy_tolerance = 0.10;

static struct rule_set *rules(void)
{
    struct rule_set *set = NULL;
    struct error err = {0};

    check_ok(rule_set_load(NULL, &set, &err), &err);
    return set;
}

/* ---- the paper ---- */

static const json_t *by_id(const json_t *root, const char *list, const char *id)
{
    size_t i;
    const json_t *item;

    json_array_foreach(json_object_get(root, list), i, item) {
        if (strcmp(json_string_value(json_object_get(item, "id")), id) == 0)
            return item;
    }
    check_str(id, "a known id");
    return NULL;
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

struct worst {
    double latency, occupancy;
    const char *latency_row, *occupancy_row;
};

static void note_worst(double off, const char *id, double *worst, const char **row)
{
    if (off <= *worst)
        return;
    *worst = off;
    *row = id;
}

/* Rows that contradict themselves count by their bandwidth and latency. */
static double occupancy_of(const json_t *row, const json_t *machine)
{
    return json_object_get(row, "inconsistent")
               ? occupancy_paper_n(number_of(row, "bandwidth_gbs"),
                                   number_of(row, "latency_ns"),
                                   (int)number_of(machine, "line_bytes"),
                                   (int)number_of(machine, "cores_used"))
               : number_of(row, "occupancy");
}

static void check_row(const json_t *root, const json_t *row, const struct rule_set *set,
                      struct worst *worst)
{
    const char *id = json_string_value(json_object_get(row, "id"));
    const char *name = json_string_value(json_object_get(row, "machine"));
    const json_t *machine = by_id(root, "machines", name);
    const json_t *application =
        by_id(root, "applications", json_string_value(json_object_get(row, "app")));
    struct question question = {
        .machine = name,
        .gbs = number_of(row, "bandwidth_gbs"),
        .random_share = quantity_exact(number_of(application, "random_share") > 0.5,
                                       PROVENANCE_DECLARED),
        .cores = (int)number_of(machine, "cores_used")};
    double want = occupancy_of(row, machine), rounding = want < 1 ? 0.005 : 0;
    struct answer answer;
    struct error err = {0};

    if (!check_ok(answer_question(&question, set, &answer, &err), &err))
        return;
    note_worst(fabs(answer.occupancy.latency_ns.value / number_of(row, "latency_ns") - 1),
               id, &worst->latency, &worst->latency_row);
    note_worst(fmax(fabs(answer.occupancy.paper_n.value - want) - rounding, 0) / want, id,
               &worst->occupancy, &worst->occupancy_row);
    answer_release(&answer);
}

TEST("the paper's 47 rows")
{
    struct rule_set *set = rules();
    struct worst worst = {0};
    struct error err = {0};
    json_t *root = NULL;
    const json_t *row;
    size_t i;

    if (check_ok(json_read_file(rows_path, "inflight.paper-rows/1", &root, &err), &err)) {
        check_eq(json_array_size(json_object_get(root, "rows")), 47);
        json_array_foreach(json_object_get(root, "rows"), i, row) {
            check_row(root, row, set, &worst);
        }
        printf("\n    47 rows of the paper: latency off by at most %.1f %% (%s), "
               "occupancy by %.1f %% (%s)\n",
               100 * worst.latency, worst.latency_row, 100 * worst.occupancy,
               worst.occupancy_row);
        check(worst.latency <= latency_tolerance);
        check(worst.occupancy <= occupancy_tolerance);
    }
    json_decref(root);
    rule_set_free(set);
}

/* ---- what if ---- */

#define RANDOM                                                                           \
    {                                                                                    \
        .known = true, .value = 1, .low = 1, .high = 1,                                  \
        .provenance = PROVENANCE_DECLARED                                                \
    }

static const struct question isx = {
    .machine = "skl", .gbs = 106.9, .random_share = RANDOM};

TEST("what if: bad words")
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "got nothing"},
        {"l1_mshrs", "expected key=value, got 'l1_mshrs'"},
        {"l1_mshrs=", "expected key=value, got 'l1_mshrs='"},
        {"=24", "expected key=value, got '=24'"},
        {"l1_mshrs=24,,cores=3", "expected key=value, got ''"},
        {"l3_mshrs=3", "there is no 'l3_mshrs'; known are l1_mshrs, l2_mshrs, latency,"},
        {"l1_mshrs=24,l1_mshrs=24", "l1_mshrs is given twice, 24 and 24"},
        {"latency=100,memory=HBM", "both say what the latency is"},
        {"latency=0", "latency must lie between 1 and"},
        {"latency=100GB/s", "is not a latency"},
        {"bandwidth=100ns", "is not a bandwidth"},
        {"l1_mshrs=0.5", "l1_mshrs must lie between 1 and"},
        {"cores=2.5", "is not a whole number"},
        {"cores=-1", "cores must lie between 1 and"},
        {"line=100", "line must be a power of two"},
        {"access=odd", "access: expected random or streaming, or the random share"},
        {"access=1.5", "such as 0.3, got '1.5'"},
    };
    struct error err = {0};
    struct what_if what_if;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_fails(what_if_parse(cases[i].text, &isx, &what_if, &err), &err,
                    STATUS_USAGE, cases[i].part);
}

TEST("what if: every key")
{
    struct what_if what_if;
    struct error err = {0};

    if (!check_ok(what_if_parse("l1_mshrs=24,l2_mshrs=48,latency=0.12us,bandwidth=90GB/s,"
                                "ceiling=200GB/s,cores=12,line=128,access=streaming",
                                &isx, &what_if, &err),
                  &err))
        return;
    check_near(what_if.question.l1_mshrs, 24, 0);
    check_near(what_if.question.l2_mshrs, 48, 0);
    check_near(what_if.question.latency_ns, 120, 1e-9);
    check_near(what_if.question.gbs, 90, 0);
    check_near(what_if.question.ceiling_gbs, 200, 0);
    check_eq(what_if.question.cores, 12);
    check_eq(what_if.question.line_bytes, 128);
    check_near(what_if.question.random_share.value, 0, 0);
    check_str(what_if.question.machine, "skl");
    check_contains(buf_str(&what_if.reported),
                   "l1_mshrs = 24, l2_mshrs = 48, latency = ");
    what_if_release(&what_if);
}

/* What was told of one machine is not carried to another. */
TEST("what if: another machine starts anew")
{
    struct question given = isx;
    struct what_if what_if;
    struct error err = {0};

    given.cores = 24;
    given.latency_ns = 100;
    given.memory = "HBM";
    if (check_ok(what_if_parse("machine=knl,l1_mshrs=20", &given, &what_if, &err),
                 &err)) {
        check_str(what_if.question.machine, "knl");
        check(!what_if.question.memory && !what_if.question.cores);
        check_near(what_if.question.latency_ns, 0, 0);
        check_near(what_if.question.l1_mshrs, 20, 0);
        check_near(what_if.question.gbs, 106.9, 0);
        what_if_release(&what_if);
    }
}

/* Both answers; false when one failed. */
static bool ask(const char *text, const struct rule_set *set, struct what_if *what_if,
                struct answer *base, struct answer *then)
{
    struct error err = {0};

    return check_ok(what_if_parse(text, &isx, what_if, &err), &err) &&
           check_ok(answer_question(&isx, set, base, &err), &err) &&
           check_ok(answer_question(&what_if->question, set, then, &err), &err);
}

static void drop(struct what_if *what_if, struct answer *base, struct answer *then)
{
    answer_release(base);
    answer_release(then);
    what_if_release(what_if);
}

TEST("what if: a longer queue moves the cause")
{
    struct rule_set *set = rules();
    struct what_if what_if = {0};
    struct answer base = {0}, then = {0};
    struct buf text = {0};

    if (ask("l1_mshrs=24,latency=120ns", set, &what_if, &base, &then)) {
        check_eq(base.occupancy.diagnosis.cause, CAUSE_L1_MSHRS);
        check_eq(then.occupancy.diagnosis.cause, CAUSE_MEMORY_BANDWIDTH);
        check_near(then.occupancy.paper_n.value, 106.9 * 120 / 64 / 24, 1e-9);
        check_near(then.occupancy.resource[RESOURCE_L1_QUEUE].limit.value, 24, 0);
        what_if_text(&what_if, &base, &then, &text);
        check_contains(buf_str(&text), "What if l1_mshrs = 24, latency = 120ns (skl,");
        check_contains(
            buf_str(&text),
            "bound by      a full L1 miss queue (MSHRs) -> memory bandwidth\n");
        check_contains(buf_str(&text), "10.1 of 10 (full) -> 8.35 of 24 (not full)");
        check_contains(buf_str(&text), "simd          no use; bound ");
    }
    drop(&what_if, &base, &then);
    buf_release(&text);
    rule_set_free(set);
}

static const json_t *move_of(const json_t *what_if, const char *transformation)
{
    const json_t *move;
    size_t i;

    json_array_foreach(json_object_get(what_if, "moves"), i, move)
        if (!strcmp(json_string_value(json_object_get(move, "transformation")),
                    transformation))
            return move;
    return NULL;
}

TEST("what if: verdicts move on another machine")
{
    struct rule_set *set = rules();
    struct what_if what_if = {0};
    struct answer base = {0}, then = {0};
    struct buf text = {0};

    if (ask("machine=knl", set, &what_if, &base, &then)) {
        json_t *json = what_if_json(&what_if, &base, &then);
        const json_t *simd = move_of(json, "simd");

        what_if_text(&what_if, &base, &then, &text);
        check_contains(buf_str(&text), "simd          no use -> try; bound ");
        check_contains(buf_str(&text), "[room.simd]");
        check_eq(then.cores, 68);
        check_str(json_string_value(json_object_get(simd, "verdict_before")), "stop");
        check_str(json_string_value(json_object_get(simd, "verdict_after")), "try");
        check_str(json_string_value(
                      json_object_get(json_object_get(json, "assumed"), "machine")),
                  "knl");
        json_decref(json);
    }
    drop(&what_if, &base, &then);
    buf_release(&text);
    rule_set_free(set);
}

TEST("what if: a queue that cannot hold them")
{
    struct rule_set *set = rules();
    struct what_if what_if = {0};
    struct answer base = {0}, then = {0};
    struct buf text = {0};

    if (ask("l1_mshrs=5", set, &what_if, &base, &then)) {
        what_if_text(&what_if, &base, &then, &text);
        check_contains(buf_str(&text), "L1 queue would have to hold 10.1 lines");
        check_contains(buf_str(&text), "settle lower, at about ");
        check_contains(buf_str(&text), "latency       145 ns, as before\n");
    }
    drop(&what_if, &base, &then);
    buf_release(&text);
    rule_set_free(set);
}

/* Beyond the curve occupancy is a lower bound, and the text says so. */
TEST("beyond the curve")
{
    struct rule_set *set = rules();
    struct question question = isx;
    struct answer answer;
    struct error err = {0};
    struct buf text = {0};

    question.gbs = 115;
    if (check_ok(answer_question(&question, set, &answer, &err), &err)) {
        check(answer.end_gbs > 100 && answer.end_gbs < 115);
        check(isinf(answer.occupancy.paper_n.high));
        answer_text(&answer, &text);
        check_contains(buf_str(&text), "at least 12.80 lines in flight per core");
        check_contains(buf_str(&text), "curve ends at");
        check_contains(buf_str(&text), "lower bound");
        answer_release(&answer);
    }
    buf_release(&text);
    rule_set_free(set);
}
