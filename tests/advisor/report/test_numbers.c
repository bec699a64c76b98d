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
        {"l1_mshrs=24,,line=64", "expected key=value, got ''"},
        {"l3_mshrs=3", "there is no 'l3_mshrs'; known are l1_mshrs, l2_mshrs, ceiling,"},
        {"latency=100", "line, and --latency, --bandwidth, --cores"},
        {"l1_mshrs=24,l1_mshrs=24", "l1_mshrs is given twice, 24 and 24"},
        {"ceiling=100ns", "is not a bandwidth"},
        {"l1_mshrs=0.5", "l1_mshrs must lie between 1 and"},
        {"l1_mshrs=nan", "l1_mshrs"},
        {"line=100", "line must be a power of two"},
        {"line=64.5", "line must be a power of two"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct question question = isx;
        struct strvec words = {0};
        struct error err = {0};

        check_fails(what_if_parse(cases[i].text, &question, &words, &err), &err,
                    STATUS_USAGE, cases[i].part);
        strvec_release(&words);
    }
}

TEST("what if: every key")
{
    struct question question = isx;
    struct strvec words = {0};
    struct error err = {0};

    check_ok(what_if_parse("l1_mshrs=24,l2_mshrs=48,ceiling=200GB/s,line=128", &question,
                           &words, &err),
             &err);
    check_near(question.l1_mshrs, 24, 0);
    check_near(question.l2_mshrs, 48, 0);
    check_near(question.ceiling_gbs, 200, 0);
    check_near(question.line_bytes, 128, 0);
    check_str(question.machine, "skl");
    json_t *assumed = what_if_json(&words);
    check_eq(json_object_size(assumed), 4);
    check_str(json_string_value(json_object_get(assumed, "ceiling")), "200GB/s");
    json_decref(assumed);
    strvec_release(&words);
}

/* The answer, and what stands before it; false when there is none. */
static bool ask(const char *text, double latency_ns, const struct rule_set *set,
                struct answer *then, struct buf *out)
{
    struct question question = isx;
    struct strvec words = {0};
    struct error err = {0};

    question.latency_ns = latency_ns;
    bool good = check_ok(what_if_parse(text, &question, &words, &err), &err) &&
                check_ok(answer_question(&question, set, then, &err), &err);
    if (good)
        what_if_text(&words, then, out);
    strvec_release(&words);
    return good;
}

TEST("what if: a longer queue moves the cause")
{
    struct rule_set *set = rules();
    struct answer then = {0};
    struct buf text = {0};

    if (ask("l1_mshrs=24", 120, set, &then, &text)) {
        check_eq(then.occupancy.diagnosis.cause, CAUSE_MEMORY_BANDWIDTH);
        check_near(then.occupancy.paper_n.value, 106.9 * 120 / 64 / 24, 1e-9);
        check_near(then.occupancy.resource[RESOURCE_L1_QUEUE].limit.value, 24, 0);
        check_str(buf_str(&text), "What if l1_mshrs = 24\n\n");
    }
    answer_release(&then);
    buf_release(&text);
    rule_set_free(set);
}

TEST("what if: a queue that cannot hold them")
{
    struct rule_set *set = rules();
    struct answer then = {0};
    struct buf text = {0};

    if (ask("l1_mshrs=5", 0, set, &then, &text)) {
        check_contains(buf_str(&text), "L1 queue would have to hold 10.1 lines");
        check_contains(buf_str(&text), "settle lower, at about ");
    }
    answer_release(&then);
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
