/*
 * The paper's 47 rows: its occupancy from its bandwidth and latency, and for the 37 rows
 * that tried something the shipped recipe's verdict against what was then measured. The
 * counts are those of docs/internals/method.md.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/paper_rows.h"
#include "core/base/array.h"
#include "tests/check.h"

SUITE(paper);

static const char disagreements_path[] =
    INFLIGHT_SOURCE_DIR "/tests/data/paper/disagreements.json";

/* The paper gives two or three digits. */
static const double tolerance = 0.03;

static bool rows_read(struct paper *rows)
{
    struct error err = {0};

    return check_ok(paper_read(rows, &err), &err);
}

static double number_of(const struct json_at *at, const char *key)
{
    double number = NAN;
    struct error err = {0};

    check_ok(json_number_at(at, key, -INFINITY, INFINITY, &number, &err), &err);
    return number;
}

static struct occupancy row_occupancy(const struct paper_row *row)
{
    struct occupancy now = {0};
    struct error err = {0};

    check_ok(paper_occupancy(row, &now, &err), &err);
    return now;
}

/* Half a unit in the last digit of 0.12 is more than 3 %. */
static bool is_near(double got, double printed)
{
    double rounding = printed < 1 ? 0.005 : 0;

    return fabs(got - printed) <= fmax(tolerance * printed, rounding);
}

TEST("occupancy is the paper's")
{
    struct paper rows;
    size_t inconsistent = 0;

    if (!rows_read(&rows))
        return;
    check_eq(rows.nr, 47);
    for (size_t i = 0; i < rows.nr; i++) {
        const struct paper_row *row = &rows.row[i];
        struct occupancy now = row_occupancy(row);

        check_near(now.paper_n.value,
                   row->gbs * row->latency_ns / number_of(&row->machine, "line_bytes") /
                       number_of(&row->machine, "cores_used"),
                   1e-9);
        if (is_near(now.paper_n.value, row->occupancy) != row->consistent) {
            check_near(now.paper_n.value, row->occupancy, tolerance);
            check_str(row->id, row->consistent ? "inconsistent" : "consistent");
        }
        check_eq(now.random, row->random_share > 0.5);
        inconsistent += !row->consistent;
        occupancy_release(&now);
    }
    check_eq(inconsistent, 3);
    paper_release(&rows);
}

/* In the queue model a random row without write-backs holds the same number in L1, a
 * streaming one in L2. */
TEST("the queue model agrees with the paper")
{
    struct paper rows;

    if (!rows_read(&rows))
        return;
    for (size_t i = 0; i < rows.nr; i++) {
        struct occupancy now = row_occupancy(&rows.row[i]);

        check_near(now.resource[RESOURCE_L2_QUEUE].n.value, now.paper_n.value, 1e-9);
        if (now.random)
            check_near(now.resource[RESOURCE_L1_QUEUE].n.value, now.paper_n.value, 1e-9);
        occupancy_release(&now);
    }
    paper_release(&rows);
}

/* Figure 2: with its 12 L1 MSHRs KNL can draw 256 GB/s of random lines, at ISx's latency.
 */
TEST("the second roof of figure 2")
{
    struct paper rows;
    struct occupancy now;

    if (!rows_read(&rows))
        return;
    for (size_t i = 0; i < rows.nr; i++)
        if (strcmp(rows.row[i].id, "isx/knl/vect+smt2 -> prefetch_l2") == 0) {
            now = row_occupancy(&rows.row[i]);
            check_near(now.resource[RESOURCE_L1_QUEUE].carries_gbs.value, 256, tolerance);
            occupancy_release(&now);
        }
    paper_release(&rows);
}

/* Exactly the rows listed under `key`, in order, each with an explanation. */
static void check_disagreements(const struct strvec *disagree, const char *key)
{
    json_t *root = NULL;
    struct json_at top, list;
    struct error err = {0};
    size_t nr = 0;

    if (!check_ok(json_read_file(disagreements_path, "inflight.paper-disagreements/1",
                                 &root, &err),
                  &err))
        return;
    top = json_top(disagreements_path, root);
    check_ok(json_array_at(&top, key, &list, &nr, &err), &err);
    check_eq(disagree->nr, nr);
    for (size_t i = 0; i < nr && i < disagree->nr; i++) {
        struct json_at one = json_element(&list, i);
        const char *row = "", *rule = "", *paper = "";
        char *want;

        json_string_at(&one, "row", &row, NULL);
        json_string_at(&one, "rule", &rule, NULL);
        json_string_at(&one, "paper", &paper, NULL);
        want = xasprintf("%s: %s", row, rule);
        check_str(disagree->v[i], want);
        check(paper[0] != '\0');
        free(want);
    }
    json_decref(root);
}

/* No gain advised against, no loss advised. */
static void check_classes(const struct paper_tally *tally)
{
    check_eq(tally->of[0][PAPER_GAIN], 0);
    check_eq(tally->of[1][PAPER_GAIN], 22);
    check_eq(tally->of[0][PAPER_LOSS] + tally->of[1][PAPER_LOSS], 0);
}

static void judge_all(enum paper_given given, const char *key, size_t agree)
{
    struct rule_set *set = NULL;
    struct paper_tally tally = {0};
    struct strvec disagree = {0};
    struct error err = {0};
    struct paper rows;

    if (!rows_read(&rows) || !check_ok(rule_set_load(NULL, &set, &err), &err))
        return;
    for (size_t i = 0; i < rows.nr; i++) {
        const struct paper_row *row = &rows.row[i];
        struct paper_opinion opinion;
        size_t before = tally.agree;

        if (!row->tried)
            continue;
        check_ok(paper_judge(set, row, given, &opinion, &err), &err);
        check(opinion.rule[0] != '\0');
        paper_count(&tally, row, &opinion);
        if (tally.agree == before)
            strvec_pushf(&disagree, "%s: %s", row->id, opinion.rule);
    }
    check_eq(tally.nr, 37);
    check_eq(tally.agree, agree);
    check_classes(&tally);
    check_disagreements(&disagree, key);
    strvec_release(&disagree);
    paper_release(&rows);
    rule_set_free(set);
}

TEST("verdicts with what could be known before")
{
    judge_all(PAPER_BEFORE, "foresight", 32);
}

TEST("verdicts with what was assumed")
{
    judge_all(PAPER_ASSUMED, "assumed", 34);
}

TEST("verdicts with all that the paper says")
{
    judge_all(PAPER_AFTER, "hindsight", 35);
}
