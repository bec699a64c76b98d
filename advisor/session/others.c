#include "advisor/session/others.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/settings.h"
#include "advisor/session/context.h"
#include "advisor/session/context_remote.h"
#include "core/base.h"
#include "core/process/spawn.h"
#include "search/remote/mailbox.h"
#include "search/remote/remote.h"
#include "search/session/measured.h"
#include "search/session/result.h"
#include "search/session/session.h"
#include "variants/plan/plan.h"

/* Of the budget, behind its end: to wait for others, and once more for each of their
 * winners; and the least of it, seconds. */
static const double more_share = 0.25, more_least_s = 60;
static const double least_comparison_s = 1;

/* What came of it. */
#define END_MEASURED   "measured"
#define END_SAME       "same"       /* plan as ours */
#define END_AS_WRITTEN "as-written" /* nothing wins there */
#define END_REFUSED    "refused"    /* not legal here, or it does not compile or run */
#define END_UNKNOWN    "not-measured"

struct visit {
    struct context *bench;
    const struct search_result *result;
    const char *own; /* our winner, "" = as written */
    double until_s;
    json_t *list;
};

static double more_s(const struct context *bench)
{
    return fmax(more_least_s, more_share * bench->budget.seconds);
}

static void add(struct visit *visit, const char *kind, const char *plan, const char *end,
                const struct quantity gain[2], const char *reason)
{
    const struct quantity unknown = quantity_unknown();
    json_array_append_new(
        visit->list,
        json_pack("{s:s, s:o, s:s, s:o, s:o, s:o}", "kind", kind, "plan", text_json(plan),
                  "end", end, "gain", json_quantity(gain ? gain[0] : unknown),
                  "over_winner", json_quantity(gain ? gain[1] : unknown), "reason",
                  text_json(reason)));
}

static bool is_listed(const struct visit *visit, const char *kind)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(visit->list, i, entry)
        if (!strcmp(json_string_value(json_object_get(entry, "kind")), kind))
            return true;
    return false;
}

/* ---- one winner ---- */

static int check(const struct visit *visit, const char *text, struct error *err)
{
    const struct search_subject *subject = &visit->bench->subject;
    return subject->check(subject->data, text, err);
}

/* Built, run and its results compared; *why: how it ended, empty = well. */
static int try_plan(const struct visit *visit, const char *plan, struct buf *why,
                    bool *cut_short, struct error *err)
{
    const struct search_runner *runner = &visit->bench->runner;
    struct search_observer observer = context_observer(visit->bench);
    static const enum measure_effort efforts[] = {MEASURE_FULL, MEASURE_CHECK};
    struct candidate candidate = {.plan = plan};
    int status = 0;
    for (size_t i = 0; i < ARRAY_SIZE(efforts) && !status && !why->length; i++) {
        struct measurement measurement = {0};
        if (runner->measure(runner->data, &candidate, efforts[i], 0, &measurement, err))
            return -1;
        *cut_short = measurement.outcome == RUN_OUTCOME_INTERRUPTED;
        if (measurement.outcome != RUN_OUTCOME_OK) {
            char *failure = measurement_failure(&measurement);
            buf_add(why, failure);
            free(failure);
        }
        if (!*cut_short && (measurement.time_s.known || why->length))
            status = observer.measured(observer.data, &measurement, err);
        measurement_release(&measurement);
    }
    return status;
}

/* Where little is left, a third of it: for another one, and what each takes beside. */
static double comparison_s(const struct visit *visit)
{
    return fmax(least_comparison_s,
                fmin(search_closing_s(visit->bench->budget.seconds), spawn_left_s() / 3));
}

static int compare(const struct visit *visit, const char *a, const char *b,
                   struct quantity *ratio, struct error *err)
{
    const struct search_runner *runner = &visit->bench->runner;
    struct search_observer observer = context_observer(visit->bench);
    struct compared comparison = {
        .a = {.plan = a}, .b = {.plan = b}, .seconds = comparison_s(visit)};
    if (runner->compare(runner->data, &comparison.a, &comparison.b, comparison.seconds,
                        ratio, err))
        return -1;
    comparison.ratio = *ratio;
    return spawn_interrupted() || !ratio->known
               ? 0
               : observer.compared(observer.data, &comparison, err);
}

/* Of node-seconds or of time too little was left. */
static const char *why_not(bool by_nodes)
{
    return spawn_interrupted() ? "it was interrupted"
           : by_nodes          ? "its share of the node-hours is used up"
                               : "there was no time left for it";
}

/* The node's words where it fails, as a reason; they are no end of the report. */
static void measure(struct visit *visit, const char *kind, const char *plan)
{
    struct quantity gain[2] = {quantity_unknown(), quantity_unknown()};
    struct error err = {0};
    struct buf why = {0};
    double nodes_s = remote_left_s(visit->bench->remote), max_s = more_s(visit->bench);
    bool late = false;
    spawn_end_at(clock_s() + fmin(max_s, nodes_s));
    int status = try_plan(visit, plan, &why, &late, &err);
    if (!status && !why.length)
        status = compare(visit, "", plan, &gain[0], &err);
    if (!status && !why.length && *visit->own && gain[0].known)
        status = compare(visit, visit->own, plan, &gain[1], &err);
    late = late || spawn_is_late() || spawn_interrupted();
    spawn_end_at(0);
    if (gain[0].known)
        add(visit, kind, plan, END_MEASURED, gain, NULL);
    else if (late)
        add(visit, kind, plan, END_UNKNOWN, NULL, why_not(nodes_s < max_s));
    else if (status)
        add(visit, kind, plan, END_UNKNOWN, NULL, err.text);
    else
        add(visit, kind, plan, END_REFUSED, NULL,
            why.length ? buf_str(&why) : "it could not be compared");
    buf_release(&why);
}

static void visit_winner(struct visit *visit, const char *kind, const char *plan)
{
    const struct search_result *result = visit->result;
    const struct quantity own[2] = {result->source_gain, quantity_unknown()};
    struct error err = {0};
    if (!strcmp(plan, visit->own))
        add(visit, kind, plan, END_SAME, own, NULL);
    else if (!*plan)
        add(visit, kind, plan, END_AS_WRITTEN, NULL, NULL);
    else if (check(visit, plan, &err))
        add(visit, kind, plan, END_REFUSED, NULL, err.text);
    else
        measure(visit, kind, plan);
}

/* ---- all of them ---- */

static json_t *told_others(struct context *bench)
{
    return json_object_get(context_remote_told(bench), "others");
}

/* How many are still searching. */
static size_t visit_known(struct visit *visit)
{
    const json_t *other;
    json_t *others = json_incref(told_others(visit->bench));
    size_t searching = 0, i;
    json_array_foreach(others, i, other) {
        const char *kind = json_string_value(json_object_get(other, "name")),
                   *plan = json_string_value(json_object_get(other, "plan")),
                   *why = json_string_value(json_object_get(other, "why"));
        if (is_listed(visit, kind))
            continue;
        if (plan && !spawn_interrupted() && remote_left_s(visit->bench->remote) > 0)
            visit_winner(visit, kind, plan);
        else if (why)
            add(visit, kind, NULL, END_UNKNOWN, NULL, why);
        else
            searching++;
    }
    json_decref(others);
    return searching;
}

/* Those that are left. */
static void give_up(struct visit *visit, const char *reason)
{
    const json_t *other;
    json_t *others = json_incref(told_others(visit->bench));
    size_t i;
    json_array_foreach(others, i, other) {
        const char *kind = json_string_value(json_object_get(other, "name"));
        if (!is_listed(visit, kind))
            add(visit, kind, json_string_value(json_object_get(other, "plan")),
                END_UNKNOWN, NULL, reason);
    }
    json_decref(others);
}

static bool goes_on(const struct visit *visit)
{
    return !spawn_interrupted() && clock_s() < visit->until_s &&
           remote_left_s(visit->bench->remote) > 0;
}

static void say_waiting(const struct visit *visit, size_t searching)
{
    struct context *bench = visit->bench;
    char *doing =
        xasprintf("waiting for the winner%s of %zu other kind%s",
                  searching == 1 ? "" : "s", searching, searching == 1 ? "" : "s");
    context_remote_progress(bench, doing, visit->result->measurement_nr, 0,
                            visit->until_s - clock_s());
    progress_say(&bench->progress, "%s", doing);
    free(doing);
}

static void visit_all(struct visit *visit)
{
    struct remote *remote = visit->bench->remote;
    struct error err = {0};
    size_t searching = 0;
    bool there = remote_stay(remote, &err) == 0;
    while (there && (searching = visit_known(visit)) && goes_on(visit)) {
        say_waiting(visit, searching);
        there = remote_stay(remote, &err) == 0;
    }
    if (!there)
        give_up(visit, err.text);
    else if (searching)
        give_up(visit, clock_s() < visit->until_s
                           ? why_not(remote_left_s(remote) <= 0)
                           : "the search there was not over in time");
}

static int tell_winner(const struct visit *visit, struct error *err)
{
    const struct mailbox_patience patience = {.seconds = MAILBOX_PATIENCE_S};
    json_t *winner =
        json_pack("{s:s, s:o}", "message", "winner", "plan", text_json(visit->own));
    int status =
        mailbox_put(visit->bench->settings->on, "", KIND_WINNER, winner, &patience, err);
    json_decref(winner);
    return status;
}

int others_measure(struct context *bench, const struct search_result *result,
                   json_t **list, struct error *err)
{
    *list = NULL;
    if (!bench->remote || !result->measurement_nr || spawn_interrupted())
        return 0;
    struct visit visit = {.bench = bench,
                          .result = result,
                          .own = result->measurement[result->best].plan,
                          .until_s = bench->budget.began_s + bench->budget.seconds +
                                     more_s(bench),
                          .list = json_array()};
    context_remote_unkeep(bench);
    int status = tell_winner(&visit, err);
    if (!status && json_array_size(told_others(bench)))
        visit_all(&visit);
    if (json_array_size(visit.list))
        *list = json_incref(visit.list);
    json_decref(visit.list);
    return status;
}
