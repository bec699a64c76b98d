/* Which events are counted in which run: on counters that a script has. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/metrics/metrics.h"
#include "tests/check.h"

SUITE(metrics_plan);

struct script {
    size_t counters;         /* of the cores, beside software events and "unc" ones */
    const char *unknown[8];  /* cannot be counted at all */
    const char *conflict[2]; /* need the same counter */
    bool no_hardware;
    int asked;
};

static bool is_in(const char *const *list, size_t nr, const char *name)
{
    for (size_t i = 0; i < nr && list[i]; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static int fits(void *data, const struct strvec *event, bool *at_once, struct error *err)
{
    struct script *script = data;
    size_t needed = 0;

    script->asked++;
    for (size_t i = 0; i < event->nr; i++) {
        const char *name = event->v[i];
        bool software = text_begins(name, "perf::");

        if (is_in(script->unknown, 8, name) || (script->no_hardware && !software))
            return fail(err, STATUS_MISSING, "the event '%s' cannot be counted", name);
        needed += !software && !text_begins(name, "unc");
    }
    *at_once = needed <= script->counters &&
               !(script->conflict[0] && strvec_has(event, script->conflict[0]) &&
                 strvec_has(event, script->conflict[1]));
    return 0;
}

/* The runs as "CYC INS A | CYC INS B". */
static void check_plan(struct script *script, const char *model, size_t runs_max,
                       const struct strvec *memory, const char *want,
                       struct metric_plan *plan)
{
    struct metric_set *set = NULL;
    struct error err = {0};
    struct buf text = {0};

    *plan = (struct metric_plan){0};
    if (!check_ok(metric_set_load(INFLIGHT_SOURCE_DIR "/tests/data/metrics/plan/cpu.json",
                                  NULL, &set, &err),
                  &err))
        return;
    metric_plan_make(&(struct metric_plan_request){.set = set,
                                                   .model = model,
                                                   .memory = memory,
                                                   .runs_max = runs_max,
                                                   .fits = fits,
                                                   .data = script},
                     plan);
    for (size_t i = 0; i < plan->run_nr; i++) {
        char *run = strvec_join(&plan->run[i], " ");

        buf_addf(&text, "%s%s", i ? " | " : "", run);
        free(run);
    }
    check_str(buf_str(&text), want);
    buf_release(&text);
    metric_set_free(set);
}

TEST("runs")
{
    static const struct {
        struct script script;
        const char *model;
        size_t runs_max;
        const char *want;
        bool by_turns;
    } cases[] = {
        /* all at once */
        {{.counters = 8}, NULL, 0, "CYC INS A D F B C perf::PAGE-FAULTS E", false},
        /* what was counted together by the source first, then metric by metric */
        {{.counters = 5},
         NULL,
         0,
         "CYC INS A D F perf::PAGE-FAULTS | CYC INS B C | CYC INS E F",
         false},
        /* the set does not fit: its events where there is room, the metrics whole */
        {{.counters = 4},
         NULL,
         0,
         "CYC INS A D perf::PAGE-FAULTS | CYC INS F E | CYC INS B C",
         false},
        {{.counters = 3},
         NULL,
         0,
         "CYC INS A perf::PAGE-FAULTS | CYC INS D | CYC INS F | CYC INS B | CYC INS C | "
         "CYC INS E",
         false},
        /* anchors leave no room */
        {{.counters = 1}, "two", 0, "F | E", false},
        /* two that need the same counter */
        {{.counters = 8, .conflict = {"A", "D"}},
         "one",
         0,
         "CYC INS A B C perf::PAGE-FAULTS | CYC INS D",
         false},
        {{.counters = 8}, "two", 0, "CYC INS F E", false},
        /* fewer runs than it takes */
        {{.counters = 3}, NULL, 1, "CYC INS A perf::PAGE-FAULTS E C B F D", true},
        {{.counters = 3},
         NULL,
         2,
         "CYC INS A perf::PAGE-FAULTS C F | CYC INS D E B",
         true},
        {{.counters = 8}, "two", 3, "CYC INS F E", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct script script = cases[i].script;
        struct metric_plan plan;

        check_plan(&script, cases[i].model, cases[i].runs_max, NULL, cases[i].want,
                   &plan);
        check_eq(plan.by_turns, cases[i].by_turns);
        check_eq(plan.note.nr, 0);
        check(plan.hardware);
        metric_plan_release(&plan);
    }
}

/* Memory's own counters take none of the cores'. */
TEST("memory is counted where it is asked for")
{
    struct strvec memory = {0};
    struct metric_plan plan;
    struct script script = {.counters = 5};

    strvec_push(&memory, "unc::READS");
    strvec_push(&memory, "unc::WRITES");
    check_plan(&script, "one", 0, &memory,
               "CYC INS A D perf::PAGE-FAULTS unc::READS unc::WRITES | CYC INS B C",
               &plan);
    metric_plan_release(&plan);
    check_plan(&script, "two", 0, &memory, "CYC INS F E", &plan);
    metric_plan_release(&plan);
    script.unknown[0] = "unc::WRITES";
    check_plan(&script, "one", 0, &memory, "CYC INS A D perf::PAGE-FAULTS | CYC INS B C",
               &plan);
    if (check_eq(plan.note.nr, 1))
        check_contains(plan.note.v[0], "'unc::WRITES' cannot be counted");
    metric_plan_release(&plan);
    strvec_release(&memory);
}

/* Each by name, and the name that does count in its stead. */
TEST("what does not count")
{
    struct metric_plan plan;
    struct script script = {.counters = 8, .unknown = {"B", "E", "INS"}};

    check_plan(&script, NULL, 0, NULL, "CYC A D F C perf::PAGE-FAULTS cpu/event=0x0e/",
               &plan);
    check_eq(plan.missing_nr, 2);
    if (check_eq(plan.note.nr, 2)) {
        check_contains(plan.note.v[0], "'INS' cannot be counted");
        check_contains(plan.note.v[1], "'B' cannot be counted");
    }
    metric_plan_release(&plan);
}

TEST("without hardware")
{
    struct metric_plan plan;
    struct script script = {.no_hardware = true};

    check_plan(&script, NULL, 0, NULL, "perf::PAGE-FAULTS", &plan);
    check(!plan.hardware);
    if (check_eq(plan.note.nr, 1)) {
        check_contains(plan.note.v[0], "none of the 8 events of 'cpu' counts here");
        check_contains(plan.note.v[0], "the event 'CYC' cannot be counted");
    }
    metric_plan_release(&plan);
    check_plan(&script, "two", 0, NULL, "", &plan);
    check_eq(plan.run_nr, 0);
    metric_plan_release(&plan);
}
