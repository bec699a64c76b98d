/*
 * The paper's 47 rows: its occupancy from its bandwidth and latency, and for the 37 rows
 * that tried something the shipped recipe's verdict against what was then measured. Rows
 * go the whole way: profile and bandwidth -> occupancy -> metrics -> rules. Prints the
 * counts of docs/method.md.
 */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/occupancy/occupancy.h"
#include "rules/rules.h"
#include "tests/check.h"

static const char rows_path[] = INFLIGHT_SOURCE_DIR "/tests/data/paper/rows.json";
static const char disagreements_path[] =
    INFLIGHT_SOURCE_DIR "/tests/data/paper/disagreements.json";

/* The paper gives two or three digits. */
static const double tolerance = 0.03;
static const double gain = 1.05, loss = 0.98;

struct row {
    const char *id, *transformation;
    struct json_at at, application, machine;
    double gbs, latency_ns, occupancy, speedup, random_share, threads;
    bool consistent, tried;
};

struct rows {
    json_t *root;
    struct json_at top, machines, applications, list;
    struct row *row;
    size_t nr;
};

static double number_of(const struct json_at *at, const char *key)
{
    double number = NAN;
    struct error err = {0};

    check_ok(json_number_at(at, key, -INFINITY, INFINITY, &number, &err), &err);
    return number;
}

static const char *string_of(const struct json_at *at, const char *key)
{
    const char *text = "";
    struct error err = {0};

    check_ok(json_string_at(at, key, &text, &err), &err);
    return text;
}

static struct json_at by_id(const struct json_at *list, const char *id)
{
    for (size_t i = 0; i < json_array_size(list->node); i++) {
        struct json_at at = json_element(list, i);

        if (strcmp(string_of(&at, "id"), id) == 0)
            return at;
    }
    check_str(id, "a known id");
    return json_element(list, 0);
}

static struct row row_at(const struct rows *rows, size_t i)
{
    struct json_at at = json_element(&rows->list, i);
    struct row row = {
        .id = string_of(&at, "id"),
        .at = at,
        .application = by_id(&rows->applications, string_of(&at, "app")),
        .machine = by_id(&rows->machines, string_of(&at, "machine")),
        .gbs = number_of(&at, "bandwidth_gbs"),
        .latency_ns = number_of(&at, "latency_ns"),
        .occupancy = number_of(&at, "occupancy"),
        .threads = number_of(&at, "threads"),
        .consistent = !json_has(&at, "inconsistent"),
        .tried = json_has(&at, "speedup"),
    };

    row.random_share = number_of(&row.application, "random_share");
    if (row.tried) {
        row.speedup = number_of(&at, "speedup");
        row.transformation = string_of(&at, "transformation");
    }
    return row;
}

/* The cursors point into *rows: it stays where it is. */
static bool rows_read(struct rows *rows)
{
    struct error err = {0};
    size_t nr;

    *rows = (struct rows){0};
    if (!check_ok(json_read_file(rows_path, "inflight.paper-rows/1", &rows->root, &err),
                  &err))
        return false;
    rows->top = json_top(rows_path, rows->root);
    check_ok(json_array_at(&rows->top, "machines", &rows->machines, &nr, &err), &err);
    check_ok(json_array_at(&rows->top, "applications", &rows->applications, &nr, &err),
             &err);
    check_ok(json_array_at(&rows->top, "rows", &rows->list, &rows->nr, &err), &err);
    rows->row = xcalloc(rows->nr, sizeof(*rows->row));
    for (size_t i = 0; i < rows->nr; i++)
        rows->row[i] = row_at(rows, i);
    return true;
}

static void rows_release(struct rows *rows)
{
    free(rows->row);
    json_decref(rows->root);
}

static struct quantity told(double value)
{
    return quantity_exact(value, PROVENANCE_TABLE);
}

/* A curve of the row's own point: rows of one machine have different mixes of reads and
 * writes. */
static struct occupancy row_occupancy(const struct row *row)
{
    struct machine_point point[] = {
        {.gbs = 0, .latency_ns = told(row->latency_ns)},
        {.gbs = row->gbs, .latency_ns = told(row->latency_ns)},
        {.gbs = 2 * row->gbs, .latency_ns = told(row->latency_ns)}};
    struct machine_curve curve = {.read_share = 1, .point = point, .point_nr = 3};
    struct json_at achievable;
    struct machine machine = {
        .cores = (int)number_of(&row->machine, "cores_used"),
        .line_bytes = (int)number_of(&row->machine, "line_bytes"),
        .l1_mshrs.used = told(number_of(&row->machine, "l1_mshrs")),
        .l2_mshrs.used = told(number_of(&row->machine, "l2_mshrs")),
        .curve = &curve,
        .curve_nr = 1,
    };
    struct quantity lines = told(row->gbs * 1e9 / machine.line_bytes / machine.cores);
    struct occupancy_case input = {.machine = &machine, .time_s = told(1)};
    struct occupancy now;
    struct error err = {0};

    check_ok(json_object_at(&row->machine, "achievable_gbs", &achievable, &err), &err);
    machine.node_read_gbs =
        quantity_between(number_of(&achievable, "value"), number_of(&achievable, "low"),
                         number_of(&achievable, "high"), 0, PROVENANCE_TABLE);
    input.cores = machine.cores;
    input.work = (struct occupancy_work){.level_nr = 2, .translation_hidden = true};
    input.work.l1_fill_from[0] = input.work.l1_covered_from[0] = told(0);
    input.work.l1_fill_from[1] = input.work.l2_fill_from_memory = lines;
    input.work.l1_covered_from[1] = quantity_scale(lines, 1 - row->random_share);
    input.work.memory_read_bytes = quantity_scale(lines, machine.line_bytes);
    input.work.memory_write_bytes = told(0);
    check_ok(occupancy_compute(&input, &now, &err), &err);
    return now;
}

/* Half a unit in the last digit of 0.12 is more than 3 %. */
static bool is_near(double got, double printed)
{
    double rounding = printed < 1 ? 0.005 : 0;

    return fabs(got - printed) <= fmax(tolerance * printed, rounding);
}

static void occupancy_is_the_papers(void)
{
    struct rows rows;
    size_t inconsistent = 0;

    if (!rows_read(&rows))
        return;
    check_eq(rows.nr, 47);
    for (size_t i = 0; i < rows.nr; i++) {
        const struct row *row = &rows.row[i];
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
    rows_release(&rows);
}

/* In the queue model a random row without write-backs holds the same number in L1, a
 * streaming one in L2. */
static void the_queue_model_agrees_with_the_paper(void)
{
    struct rows rows;

    if (!rows_read(&rows))
        return;
    for (size_t i = 0; i < rows.nr; i++) {
        struct occupancy now = row_occupancy(&rows.row[i]);

        check_near(now.resource[RESOURCE_L2_QUEUE].n.value, now.paper_n.value, 1e-9);
        if (now.random)
            check_near(now.resource[RESOURCE_L1_QUEUE].n.value, now.paper_n.value, 1e-9);
        occupancy_release(&now);
    }
    rows_release(&rows);
}

/* Figure 2: with its 12 L1 MSHRs KNL can draw 256 GB/s of random lines, at ISx's latency.
 */
static void the_second_roof_of_figure_2(void)
{
    struct rows rows;
    struct row row;
    struct occupancy now;

    if (!rows_read(&rows))
        return;
    row = (struct row){.at = by_id(&rows.list, "isx/knl/vect+smt2 -> prefetch_l2")};
    for (size_t i = 0; i < rows.nr; i++)
        if (rows.row[i].at.node == row.at.node)
            row = rows.row[i];
    now = row_occupancy(&row);
    check_near(now.resource[RESOURCE_L1_QUEUE].carries_gbs.value, 256, tolerance);
    occupancy_release(&now);
    rows_release(&rows);
}

static void put_number(void *facts, const char *metric, struct quantity value)
{
    struct error err = {0};

    check_ok(rule_facts_number(facts, metric, value, &err), &err);
}

static void put_word(void *facts, const char *metric, const char *word)
{
    struct error err = {0};

    check_ok(rule_facts_word(facts, metric, word, &err), &err);
}

static void put_input(struct rule_facts *facts, const struct json_at *input)
{
    double value;

    if (json_has(input, "word")) {
        put_word(facts, string_of(input, "metric"), string_of(input, "word"));
        return;
    }
    value = number_of(input, "value");
    put_number(facts, string_of(input, "metric"),
               quantity_between(value, number_of(input, "low"), number_of(input, "high"),
                                0, PROVENANCE_TABLE));
}

static void put_inputs(struct rule_facts *facts, const struct json_at *owner,
                       bool hindsight)
{
    struct json_at list;
    struct error err = {0};
    size_t nr = 0;

    if (!json_has(owner, "inputs"))
        return;
    check_ok(json_array_at(owner, "inputs", &list, &nr, &err), &err);
    for (size_t i = 0; i < nr; i++) {
        struct json_at input = json_element(&list, i);

        if (hindsight || !json_has(&input, "hindsight"))
            put_input(facts, &input);
    }
}

static struct rule_facts *row_facts(const struct row *row, bool hindsight)
{
    struct rule_facts *facts = rule_facts_new();
    struct occupancy_sink sink = {put_number, put_word, facts};
    struct occupancy now = row_occupancy(row);
    double threads = number_of(&row->machine, "threads_per_core");

    occupancy_metrics(&now, &sink);
    put_number(facts, "threads_used", told(row->threads));
    put_number(facts, "free_threads", told(threads - row->threads));
    put_inputs(facts, &row->application, hindsight);
    put_inputs(facts, &row->at, hindsight);
    occupancy_release(&now);
    return facts;
}

enum outcome { OUTCOME_GAIN, OUTCOME_MARGINAL, OUTCOME_LOSS, OUTCOME_NR };

static enum outcome outcome_of(double speedup)
{
    return speedup > gain   ? OUTCOME_GAIN
           : speedup < loss ? OUTCOME_LOSS
                            : OUTCOME_MARGINAL;
}

struct tally {
    size_t nr, agree, of[2][OUTCOME_NR]; /* [advised against, advised][outcome] */
    struct strvec disagree;              /* "id: verdict" */
};

/* To try agrees with a gain, to avoid or stop with none. */
static void judge_row(const struct rule_set *set, const struct row *row, bool hindsight,
                      struct tally *tally)
{
    struct rule_facts *facts = row_facts(row, hindsight);
    struct rule_verdicts verdicts = {0};
    const struct rule_verdict *verdict;
    enum outcome outcome = outcome_of(row->speedup);
    bool advised;

    check_eq(rule_set_judge(set, facts, &verdicts, NULL), 0);
    verdict = rule_verdicts_deciding(&verdicts, row->transformation);
    if (check(verdict != NULL)) {
        advised = verdict->verdict == VERDICT_TRY;
        tally->of[advised][outcome]++;
        tally->nr++;
        if (advised == (outcome == OUTCOME_GAIN))
            tally->agree++;
        else
            strvec_pushf(&tally->disagree, "%s: %s", row->id, verdict->rule);
    }
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
}

static void print_tally(const char *title, const struct tally *tally)
{
    printf("\n    %s: %zu of %zu rows agree\n", title, tally->agree, tally->nr);
    for (int advised = 1; advised >= 0; advised--)
        printf("    %-14s gain %2zu   marginal %2zu   loss %2zu\n",
               advised ? "try" : "avoid or stop", tally->of[advised][OUTCOME_GAIN],
               tally->of[advised][OUTCOME_MARGINAL], tally->of[advised][OUTCOME_LOSS]);
    for (size_t i = 0; i < tally->disagree.nr; i++)
        printf("    disagrees: %s\n", tally->disagree.v[i]);
}

/* Exactly the rows listed under `key`, in order, each with an explanation. */
static void check_disagreements(const struct tally *tally, const char *key)
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
    check_eq(tally->disagree.nr, nr);
    for (size_t i = 0; i < nr && i < tally->disagree.nr; i++) {
        struct json_at one = json_element(&list, i);
        char *want = xasprintf("%s: %s", string_of(&one, "row"), string_of(&one, "rule"));

        check_str(tally->disagree.v[i], want);
        check(string_of(&one, "paper")[0] != '\0');
        free(want);
    }
    json_decref(root);
}

static void judge_all(bool hindsight, const char *title, const char *key, size_t agree)
{
    struct rule_set *set = NULL;
    struct tally tally = {0};
    struct error err = {0};
    struct rows rows;

    if (!check_ok(rule_set_load(NULL, &set, &err), &err) || !rows_read(&rows))
        return;
    for (size_t i = 0; i < rows.nr; i++)
        if (rows.row[i].tried)
            judge_row(set, &rows.row[i], hindsight, &tally);
    print_tally(title, &tally);
    check_eq(tally.nr, 37);
    check_eq(tally.agree, agree);
    check_disagreements(&tally, key);
    strvec_release(&tally.disagree);
    rows_release(&rows);
    rule_set_free(set);
}

static void verdicts_with_what_could_be_known_before(void)
{
    judge_all(false, "with what could be known before the run", "foresight", 32);
}

static void verdicts_with_all_that_the_paper_says(void)
{
    judge_all(true, "with all that the paper says", "hindsight", 35);
}

CU_TestInfo paper_tests[] = {
    {"occupancy is the paper's", occupancy_is_the_papers},
    {"the queue model agrees with the paper", the_queue_model_agrees_with_the_paper},
    {"the second roof of figure 2", the_second_roof_of_figure_2},
    {"verdicts with what could be known before",
     verdicts_with_what_could_be_known_before},
    {"verdicts with all that the paper says", verdicts_with_all_that_the_paper_says},
    CU_TEST_INFO_NULL,
};
