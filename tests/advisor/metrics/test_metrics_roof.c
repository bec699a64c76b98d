/* The roofline of recorded counts: published kernels under published roofs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_show.h"
#include "core/base/buf.h"
#include "tests/check.h"

SUITE(advisor_metrics_roof);

#define DATA     INFLIGHT_SOURCE_DIR "/tests/data/metrics/roofline/"
#define EXAMPLES INFLIGHT_SOURCE_DIR "/examples/roofline/"

struct asked {
    struct settings settings;
    struct metrics_report report;
};

static void ask(struct asked *asked, const char *const *counts, const char *machine)
{
    struct error err = {0};

    *asked = (struct asked){.settings = {.machine = machine, .cpu = "skylake-sp"}};
    for (; *counts; counts++)
        strvec_pushf(&asked->settings.counts, "%s=" EXAMPLES "%s.json", *counts, *counts);
    asked->report.settings = &asked->settings;
    check_ok(metrics_read_columns(&asked->report, &err), &err);
}

static void asked_release(struct asked *asked)
{
    metrics_report_release(&asked->report);
    strvec_release(&asked->settings.counts);
}

static const char *const kernels[] = {"nbody-scalar", "nbody-simd", "cloverleaf", NULL};

static void show(const struct asked *asked, struct layout *layout)
{
    for (size_t i = 0; i < asked->report.nr; i++)
        metrics_roof_text(&asked->report, &asked->report.column[i], layout);
}

TEST("tables are as they were")
{
    struct asked asked;
    struct buf text = {0};
    struct layout layout = layout_on(&text, false, 100);

    ask(&asked, kernels, EXAMPLES "clx-8260.json");
    show(&asked, &layout);
    check_golden(DATA "three.txt", buf_str(&text));
    buf_release(&text);
    asked_release(&asked);
}

/* Others left no time to measure all cores together. */
TEST("a roof may be higher")
{
    struct asked asked;
    struct buf text = {0};
    struct layout layout = layout_on(&text, false, 100);

    ask(&asked, kernels + 2, EXAMPLES "clx-8260.json");
    asked.report.column[0].machine.level[1].all_cores.triad_gbs.high = INFINITY;
    show(&asked, &layout);
    check_contains(buf_str(&text), "  L2, GB/s                     >=3651  <=0.824 ");
    buf_reset(&text);
    asked.settings.model = "topdown";
    show(&asked, &layout);
    check_str(buf_str(&text), "");
    buf_release(&text);
    asked_release(&asked);
}

TEST("JSON tells the same")
{
    static const char *const verdict[] = {"far", "far", "at"}, *const nearest[] = {
                                                                   "L3", "L3", "memory"};
    struct asked asked;

    ask(&asked, kernels, EXAMPLES "clx-8260.json");
    json_t *list = metrics_roof_json(&asked.report);
    check_eq(json_array_size(list), 3);
    for (size_t i = 0; i < ARRAY_SIZE(verdict); i++) {
        const json_t *one = json_array_get(list, i);

        check_str(json_string_value(json_object_get(one, "verdict")), verdict[i]);
        check_str(json_string_value(json_object_get(one, "nearest")), nearest[i]);
        check_eq(json_array_size(json_object_get(one, "levels")), 4);
        check_eq(json_array_size(json_object_get(one, "flops")), ROOF_FLOPS);
    }
    json_decref(list);
    asked_release(&asked);
}

static const struct {
    enum roof_verdict verdict;
    int nearest;
    struct quantity share; /* of the nearest */
    bool sure, lines, trap;
    const char *part;
} verdicts[] = {
    {ROOF_VERDICT_AT,
     ROOF_MEMORY,
     {true, 0.95, 0.92, 0.97, 3, 0, 0, false},
     true,
     false,
     false,
     "memory is used to 95.0 % [92.0, 97.0] of its roof: more misses"},
    {ROOF_VERDICT_AT,
     ROOF_L2,
     {true, 0.95, 0.95, 0.95, 0, 0, 0, false},
     true,
     false,
     false,
     "only fewer bytes from L2 help"},
    {ROOF_VERDICT_AT,
     ROOF_LEVELS,
     {true, 0.95, 0.95, 0.95, 0, 0, 0, false},
     true,
     false,
     false,
     "arithmetic is used to 95 % of its roof: only less"},
    {ROOF_VERDICT_AT,
     ROOF_L1,
     {true, 1.5, 1.2, 1.8, 0, 0, 0, false},
     true,
     false,
     false,
     "more than should be possible"},
    {ROOF_VERDICT_NEAR,
     ROOF_L3,
     {true, 0.8, 0.6, 0.95, 3, 0, 0, false},
     false,
     false,
     false,
     "1.25x is left. The interval overlaps another verdict"},
    {ROOF_VERDICT_FAR,
     ROOF_L1,
     {true, 0.079, 0.079, 0.079, 0, 0, 0, false},
     true,
     true,
     true,
     "no roof is near (L1 is used to 7.9 % of its roof)"},
    {ROOF_VERDICT_FAR,
     ROOF_L1,
     {true, 0.079, 0.079, 0.079, 0, 0, 0, false},
     true,
     true,
     true,
     "0.94 lines in flight towards memory per core, where the L1 queue takes 12. In the "
     "plot it lies close to memory's slope, though it uses only 8.6 %"},
    {ROOF_VERDICT_FAR,
     ROOF_L1,
     {true, 0.2, 0.2, 0.2, 0, 0, 0, false},
     true,
     false,
     false,
     "but the bytes through memory are not known"},
    {ROOF_VERDICT_UNKNOWN, 0, {0}, false, false, false, "no level has both"},
};

/* A point on memory's slope that hardly uses it: the bytes decide. */
TEST("words follow the bytes")
{
    struct metrics_column column = {0};

    column.machine.l1_mshrs.used = quantity_exact(12, PROVENANCE_TABLE);
    for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
        struct metrics_roof roof = {.column = &column};
        struct roofline *line = &roof.roofline;

        line->verdict = verdicts[i].verdict;
        line->nearest = verdicts[i].nearest;
        line->sure = verdicts[i].sure;
        if (verdicts[i].trap) {
            line->level[ROOF_MEMORY].over = quantity_exact(0.67, PROVENANCE_DERIVED);
            line->level[ROOF_MEMORY].share = quantity_exact(0.086, PROVENANCE_DERIVED);
        }
        if (verdicts[i].lines)
            line->lines = quantity_exact(0.94, PROVENANCE_DERIVED);
        if (verdicts[i].nearest < ROOF_LEVELS)
            line->level[verdicts[i].nearest].share = verdicts[i].share;
        line->flops_per_s = verdicts[i].share;
        line->peak = quantity_exact(1, PROVENANCE_PROBE);
        char *sentence = metrics_roof_sentence(&roof);
        check_contains(sentence, verdicts[i].part);
        free(sentence);
    }
}

TEST("without a profile it says so")
{
    struct asked asked;
    struct buf text = {0};
    struct layout layout = layout_on(&text, false, 80);

    ask(&asked, kernels + 2, NULL);
    show(&asked, &layout);
    check_contains(buf_str(&text), "name its profile with");
    json_t *list = metrics_roof_json(&asked.report);
    check(json_is_null(json_array_get(list, 0)));
    json_decref(list);
    buf_release(&text);
    asked_release(&asked);
}
