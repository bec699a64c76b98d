/*
 * measure and compare on measurements by hand: text and JSON against the files of
 * tests/data/advisor/measure/ (UPDATE_GOLDEN=1 rewrites them), and what is concluded.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/compare/versus.h"
#include "advisor/report/measure_report.h"
#include "tests/advisor/finished_search.h"

SUITE(advisor_measure);

static void check_file(const char *name, const char *got)
{
    char *path = xasprintf("%s/tests/data/advisor/measure/%s", INFLIGHT_SOURCE_DIR, name);

    check_golden(path, got);
    free(path);
}

static void check_width(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (!check(strcspn(line, "\n") <= 80))
            check_str(line, "a line of at most 80 columns");
}

/* ---- a measurement by hand ---- */

static struct quantity model(double value)
{
    return quantity_between(value, 0.99 * value, 1.01 * value, 0, PROVENANCE_MODEL);
}

static void set_levels(struct traffic *traffic, double lines)
{
    for (int k = 0; k < traffic->level_nr; k++)
        traffic->edge[k] =
            (struct traffic_edge){.fills = model(lines / (k + 1)),
                                  .covered = model(lines / (k + 1) / 4),
                                  .software = quantity_exact(0, PROVENANCE_MODEL),
                                  .writebacks = model(lines / 10),
                                  .hits = model(7 * lines)};
}

static struct traffic_part part(const char *name, int line, double lines)
{
    struct traffic_part new = {.name = xstrdup(name),
                               .line = line,
                               .accesses = model(8 * lines),
                               .bytes = model(64 * lines)};

    for (int k = 0; k < TRAFFIC_LEVELS_MAX; k++) {
        new.fills[k] = model(lines / (k + 1));
        new.covered[k] = model(lines / (k + 1) / 4);
        new.writebacks[k] = model(lines / 10);
    }
    new.nontemporal_lines = quantity_unknown();
    return new;
}

static void set_traffic(struct measurement *measurement, double lines)
{
    struct traffic *traffic = &measurement->traffic;

    *traffic = (struct traffic){.level_nr = 3,
                                .line_bytes = 64,
                                .nontemporal_lines = quantity_exact(0, PROVENANCE_MODEL),
                                .page_walks = model(lines / 20),
                                .accesses = model(8 * lines),
                                .bytes = model(64 * lines),
                                .instructions = quantity_unknown(),
                                .flops = quantity_unknown(),
                                .branches_missed = quantity_unknown(),
                                .provenance = PROVENANCE_MODEL,
                                .traced_share = 0.25,
                                .note = xstrdup("25 % was simulated, in 9 windows")};
    set_levels(traffic, lines);
}

static void set_parts(struct traffic *traffic)
{
    traffic->array = xcalloc(2, sizeof(*traffic->array));
    traffic->array[0] = part("table", 0, 3e6);
    traffic->array[1] = part("out", 0, 1e6);
    traffic->array_nr = 2;
    traffic->site = xcalloc(14, sizeof(*traffic->site));
    for (int i = 0; i < 14; i++) {
        char *name = xasprintf("a_file_with_a_long_name.c:%d", 10 + i);

        traffic->site[i] = part(name, 10 + i, 1e5 * (14 - i));
        free(name);
    }
    traffic->site_nr = 14;
}

static void drop_parts(struct traffic *traffic)
{
    for (size_t i = 0; i < traffic->array_nr; i++)
        free(traffic->array[i].name);
    for (size_t i = 0; i < traffic->site_nr; i++)
        free(traffic->site[i].name);
    free(traffic->array);
    free(traffic->site);
    traffic->array = traffic->site = NULL;
    traffic->array_nr = traffic->site_nr = 0;
}

static void set_run(struct measurement *measurement)
{
    measurement->launches = 6;
    measurement->sample_nr = 3;
    measurement->sample = xcalloc(3, sizeof(*measurement->sample));
    for (unsigned i = 0; i < 3; i++)
        measurement->sample[i] =
            (struct run_sample){0.5 + 0.02 * i, 0.56, 2 * i, 0, 0, false};
    measurement->sample[1].disturbed = RUN_DISTURBED_STOLEN | RUN_DISTURBED_SWITCHED;
    measurement->disturbed_nr = 2;
    measurement->clock_step_s = 2e-8;
    measurement->call_overhead_s = 3.5e-8;
    measurement->note = xstrdup("no core was left for a background load");
}

static struct measurement *start(struct fixture *fixture)
{
    struct measurement *measurement;

    fixture_start(fixture, "measure");
    fixture->settings.min_of = fixture->settings.line_bytes = -1;
    measurement = &fixture->result.measurement[0];
    set_traffic(measurement, 4e6);
    set_run(measurement);
    return measurement;
}

static char *text_of(const struct fixture *fixture, const struct measurement *measurement)
{
    struct buf out = {0};
    struct layout layout = layout_on(&out, false, 80);

    measure_text(&fixture->bench, measurement, &layout);
    return buf_detach(&out);
}

/* Without the head, which names this machine's load and the path of the tree. */
static const char *body_of(const char *text)
{
    const char *body = strstr(text, "\n\n");

    return body ? body : text;
}

static void check_text(struct fixture *fixture, const char *golden)
{
    char *text = text_of(fixture, &fixture->result.measurement[0]);

    check_contains(text, "gather in ");
    check_contains(text, "n = 1000, m = 4000\n");
    check_file(golden, body_of(text));
    check_width(body_of(text));
    free(text);
}

TEST("all numbers")
{
    struct fixture fixture = {0};
    struct measurement *measurement = start(&fixture);

    set_parts(&measurement->traffic);
    check_text(&fixture, "all.txt");
    drop_parts(&measurement->traffic);
    fixture_release(&fixture);
}

TEST("what is unknown is called so")
{
    struct fixture fixture = {0};
    struct measurement *measurement = start(&fixture);

    for (int k = 0; k < 3; k++)
        measurement->traffic.edge[k] = (struct traffic_edge){.fills = model(1e6)};
    measurement->traffic.page_walks = quantity_unknown();
    measurement->occupancy.paper_n = quantity_unknown();
    measurement->occupancy.slack = quantity_unknown();
    measurement->disturbed_nr = 0;
    measurement->clock_step_s = 0;
    measurement->sample[1].disturbed = 0;
    check_text(&fixture, "unknown.txt");
    fixture_release(&fixture);
}

TEST("a variant that fails")
{
    struct fixture fixture = {0};
    char *text;

    start(&fixture);
    text = text_of(&fixture, fixture_add(&fixture, "simd", RUN_OUTCOME_CRASHED, 0));
    check_contains(text, "\n  plan");
    check_contains(text, "Not measured to the end\n  crashed: the reason for crashed\n");
    check(!strstr(text, "\nTime\n"));
    free(text);
    fixture_release(&fixture);
}

/* What has tests of its own, and what is this machine's, taken out. */
static json_t *document_of(struct fixture *fixture)
{
    json_t *root = measure_json(&fixture->bench, &fixture->result.measurement[0]);

    json_object_set_new(root, "date", json_string("2026-01-31T12:00:00Z"));
    json_object_set_new(root, "version", json_string("0"));
    check(json_is_object(json_object_get(root, "kernel")));
    check(json_is_object(json_object_get(root, "machine")));
    check_str(json_string_value(
                  json_object_get(json_object_get(root, "measurement"), "schema")),
              "inflight.measurement/1");
    json_object_del(root, "kernel");
    json_object_del(root, "machine");
    json_object_del(root, "measurement");
    return root;
}

TEST("the document")
{
    struct fixture fixture = {0};
    json_t *root;
    char *text;

    start(&fixture);
    fixture.settings.pages = 1;
    fixture.settings.start = RUN_START_COLD_DATA;
    fixture.settings.background = RUN_BACKGROUND_DISK;
    fixture.settings.min_of = 3;
    root = document_of(&fixture);
    text = json_text(root);
    check_file("document.json", text);
    free(text);
    json_decref(root);
    fixture_release(&fixture);
}

/* ---- two versions ---- */

struct pair {
    struct fixture fixture;
    struct kernel_counts counts[2];
    struct versus versus;
};

/* The second with so many lines and so much time. */
static void make_pair(struct pair *pair, double lines, struct quantity ratio)
{
    static const char *const name[] = {"plain", "blocked"};
    struct measurement *after;

    start(&pair->fixture);
    after = fixture_add(&pair->fixture, "tile(i:8)", RUN_OUTCOME_OK, 0.4);
    fixture_explain(after);
    set_traffic(after, lines);
    for (size_t i = 0; i < 2; i++)
        pair->counts[i] =
            (struct kernel_counts){.flops = quantity_exact(1e6, PROVENANCE_SOURCE),
                                   .iterations = quantity_unknown(),
                                   .accesses = quantity_unknown(),
                                   .bytes = quantity_unknown()};
    versus_make(
        name,
        (const struct measurement *const[]){&pair->fixture.result.measurement[0], after},
        pair->counts, ratio, &pair->versus);
}

static void drop_pair(struct pair *pair)
{
    versus_release(&pair->versus);
    fixture_release(&pair->fixture);
}

static struct quantity ratio(double value, double low, double high)
{
    return quantity_between(value, low, high, 12, PROVENANCE_CLOCK);
}

TEST("what a ratio means")
{
    static const struct {
        double value, low, high;
        enum versus_end end;
        const char *sentence;
    } cases[] = {
        {1.12, 1.09, 1.15, VERSUS_FASTER,
         "blocked is faster by 12 % (9 to 15), certain at 95 %."},
        {3.2, 3.04, 3.39, VERSUS_FASTER,
         "blocked is 3.2 times as fast (3.04 to 3.39), certain at 95 %."},
        {0.8, 0.75, 0.9, VERSUS_SLOWER,
         "blocked is slower by 25 % (11 to 33), certain at 95 %."},
        {0.25, 0.2, 0.5, VERSUS_SLOWER,
         "blocked is 4 times as slow (2 to 5), certain at 95 %."},
        {1.02, 0.99, 1.05, VERSUS_NO_CLAIM,
         "No difference larger than 5 % can be claimed: the 95 % interval of the ratio, "
         "0.99 to 1.05, holds 1."},
        {0.9, 0.8, 1.01, VERSUS_NO_CLAIM, "No difference larger than 25 % can be"},
        {1.004, 1.002, 1.006, VERSUS_NEGLIGIBLE,
         "No difference that matters: the ratio of the times is 1.004"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct pair pair = {0};

        make_pair(&pair, 2e6, ratio(cases[i].value, cases[i].low, cases[i].high));
        check_eq(pair.versus.end, cases[i].end);
        check_contains(pair.versus.ratio_sentence, cases[i].sentence);
        drop_pair(&pair);
    }
}

TEST("a doubted ratio is no claim")
{
    struct quantity busy = ratio(3.2, 3.04, 3.39);
    struct pair pair = {0};

    busy.doubted = true;
    busy.disturbed = 0.62;
    make_pair(&pair, 2e6, busy);
    check_eq(pair.versus.end, VERSUS_NO_CLAIM);
    check_str(pair.versus.ratio_sentence,
              "The ratio of the times is not believed: the machine was busy (others had "
              "the processor for 62 % of the time); measure again when it is quiet.");
    drop_pair(&pair);
}

/* 4e6 lines before. */
TEST("less work or faster work")
{
    static const struct {
        double lines, ratio;
        const char *sentence;
    } cases[] = {
        {2e6, 2, "Less work: 2x fewer bytes through memory, at the same rate."},
        {4e6, 2,
         "Faster work: as many bytes through memory, at 2x the rate. Lines in "
         "flight per core: 2.1 before, 2.1 after."},
        {2e6, 4,
         "Both less work and faster work: 2x fewer bytes through memory, at 2x "
         "the rate."},
        {1e6, 2,
         "Less work, done more slowly: 4x fewer bytes through memory, at 0.5x the "
         "rate."},
        {8e6, 2,
         "Faster work, in spite of more of it: 2x more bytes through memory, at "
         "4x the rate."},
        {8e6, 0.5, "More work: 2x more bytes through memory, at the same rate."},
        {4e6, 0.5, "Slower work: as many bytes through memory, at 0.5x the rate."},
        {16e6, 0.5,
         "More work, done faster: 4x more bytes through memory, at 2x the "
         "rate."},
        {2e6, 0.5, "Slower work, in spite of less of it: 2x fewer bytes"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct pair pair = {0};
        double r = cases[i].ratio;

        make_pair(&pair, cases[i].lines, ratio(r, 0.99 * r, 1.01 * r));
        check_contains(pair.versus.work_sentence, cases[i].sentence);
        drop_pair(&pair);
    }
}

/* The product of the two is the ratio; what is 0 on one side has none. */
TEST("work times rate")
{
    struct pair pair = {0};

    make_pair(&pair, 1e6, ratio(1.5, 1.4, 1.6));
    for (size_t i = 0; i < VERSUS_WORK_NR; i++) {
        const struct versus_work *work = &pair.versus.work[i];

        if (work->less.known)
            check_near(work->less.value * work->faster.value, 1.5, 1e-9);
    }
    check(!pair.versus.work[4].less.known); /* nobody counted instructions */
    check_near(pair.versus.work[5].less.value, 1, 1e-12);
    drop_pair(&pair);
}

/* What may be none before has no rate: another amount decides. */
TEST("a rate that is not known is not told")
{
    struct pair pair = {0};

    make_pair(&pair, 1e6, ratio(1.5, 1.4, 1.6));
    struct measurement *side = pair.fixture.result.measurement;
    struct versus again = {0};
    for (int i = 0; i < side->traffic.level_nr; i++) {
        side->traffic.edge[i].fills.low = 0;
        side->traffic.edge[i].writebacks.low = 0;
    }
    versus_make((const char *const[]){"plain", "blocked"},
                (const struct measurement *const[]){&side[0], &side[1]}, pair.counts,
                ratio(1.5, 1.4, 1.6), &again);
    check_contains(again.work_sentence, "as many FLOPs, at 1.5x the rate");
    versus_release(&again);
    drop_pair(&pair);
}

TEST("no claim says nothing of work")
{
    struct pair pair = {0};

    make_pair(&pair, 1e6, ratio(1, 0.9, 1.1));
    check(!pair.versus.work_sentence);
    drop_pair(&pair);
    pair = (struct pair){0};
    make_pair(&pair, 1e6, quantity_unknown());
    check_eq(pair.versus.end, VERSUS_UNKNOWN);
    check(!pair.versus.work_sentence);
    check(!pair.versus.work[0].faster.known && pair.versus.work[0].less.known);
    drop_pair(&pair);
}

TEST("a comparison as text and document")
{
    struct pair pair = {0};
    struct buf out = {0};
    struct layout layout = layout_on(&out, false, 80);
    json_t *root = json_object();
    char *text;

    make_pair(&pair, 2e6, ratio(1.3, 1.2, 1.4));
    versus_text(&pair.versus, &layout);
    check_file("versus.txt", buf_str(&out));
    check_width(buf_str(&out));
    versus_to_json(&pair.versus, root);
    check(json_is_object(json_object_get(root, "before")));
    json_object_del(root, "before");
    json_object_del(root, "after");
    text = json_text(root);
    check_file("versus.json", text);
    free(text);
    json_decref(root);
    buf_release(&out);
    drop_pair(&pair);
}
