/*
 * The guided strategy: measure, ask the rules, try the most promising transformation with
 * model-seeded parameters, keep what is faster beyond doubt, measure again; stop when no
 * rule says "try" any more, the bound on what is left is within the noise, or time is up.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/propose.h"
#include "search/session.h"
#include "search/settle.h"
#include "search/snap.h"
#include "search/tunables.h"

struct guided {
    struct session *session;
    size_t now;          /* index of the present best */
    size_t explained;    /* the last best whose traffic is known */
    struct strvec tried; /* transformations tried on the present best */
    struct rule_verdicts verdicts;
};

/* ---- judging ---- */

static struct quantity bound_of(const struct guided *guided,
                                const struct rule_verdict *verdict)
{
    const struct search_result *result = guided->session->result;
    const struct measurement *explained = &result->measurement[guided->explained];
    if (!explained->has_occupancy || guided->session->opts->hide_occupancy)
        return quantity_unknown();
    return verdict_bound(verdict, &explained->occupancy,
                         result->measurement[guided->now].time_s);
}

static struct advice *advice_for(struct search_result *result, const char *transformation)
{
    for (size_t i = 0; i < result->advice_nr; i++)
        if (!strcmp(result->advice[i].transformation, transformation))
            return &result->advice[i];
    GROW(result->advice, result->advice_nr + 1, result->advice_alloc);
    struct advice *advice = &result->advice[result->advice_nr++];
    *advice = (struct advice){.transformation = xstrdup(transformation),
                              .bound_speedup = quantity_unknown(),
                              .measured_speedup = quantity_unknown()};
    return advice;
}

static void replace(char **text, const char *by)
{
    free(*text);
    *text = xstrdup(by);
}

/* What was tried keeps the verdict it was tried under. */
static void note_verdict(struct guided *guided, const struct rule_verdict *verdict)
{
    struct advice *advice = advice_for(guided->session->result, verdict->transformation);
    if (advice->tried_plan)
        return;
    advice->verdict = verdict->verdict;
    advice->bound_speedup = bound_of(guided, verdict);
    replace(&advice->rule, verdict->rule);
    replace(&advice->reason, verdict->reason);
    replace(&advice->source, verdict->source);
}

static void note_pruned(struct guided *guided)
{
    for (size_t i = 0; i < guided->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &guided->verdicts.item[i];
        if (verdict->verdict != VERDICT_TRY &&
            !advice_for(guided->session->result, verdict->transformation)->tried_plan &&
            rule_verdicts_deciding(&guided->verdicts, verdict->transformation) == verdict)
            session_prune(guided->session, verdict->transformation, verdict->rule,
                          verdict->reason);
    }
}

static int judge(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    struct rule_facts *facts = rule_facts_new();
    rule_verdicts_release(&guided->verdicts);
    int status = session_facts(session, guided->now, guided->explained, facts, err);
    if (!status)
        status = rule_set_judge(session->opts->rules, facts, &guided->verdicts, err);
    for (size_t i = 0; !status && i < guided->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &guided->verdicts.item[i];
        if (rule_verdicts_deciding(&guided->verdicts, verdict->transformation) == verdict)
            note_verdict(guided, verdict);
    }
    rule_facts_free(facts);
    return status;
}

static bool was_tried(const struct guided *guided, const char *transformation)
{
    for (size_t i = 0; i < guided->tried.nr; i++)
        if (!strcmp(guided->tried.v[i], transformation))
            return true;
    return false;
}

/*
 * Ranked by bound; what has none ranks among gains of 2. Bounds beyond 10 say no more
 * than 10: then the rules' weights decide, which put the order of loops before what is
 * built on it.
 */
static double promise(const struct guided *guided, const struct rule_verdict *verdict)
{
    struct quantity bound = bound_of(guided, verdict);
    double worth = bound.known ? bound.value : 2;
    return (worth < 10 ? worth : 10) * (1 + verdict->weight / 100.0) *
           session_rule_factor(guided->session, verdict->rule);
}

/* Advised against by figures whose intervals allow the opposite: tried when nothing that
 * is advised is left. */
static bool is_doubtful(const struct rule_verdict *verdict)
{
    return verdict->verdict != VERDICT_TRY && verdict->undecided;
}

/* Huge pages are no part of a plan and are measured in the end anyway: plans first. */
static bool is_better(const struct guided *guided, const struct rule_verdict *verdict,
                      const struct rule_verdict *best)
{
    if (is_doubtful(verdict) != is_doubtful(best))
        return is_doubtful(best);
    bool pages = !strcmp(verdict->transformation, "hugepages"),
         best_pages = !strcmp(best->transformation, "hugepages");
    if (pages != best_pages)
        return best_pages;
    return promise(guided, verdict) > promise(guided, best);
}

static const struct rule_verdict *next_verdict(const struct guided *guided)
{
    const struct rule_verdict *best = NULL;
    for (size_t i = 0; i < guided->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &guided->verdicts.item[i];
        if ((verdict->verdict != VERDICT_TRY && !verdict->undecided) ||
            was_tried(guided, verdict->transformation) ||
            rule_verdicts_deciding(&guided->verdicts, verdict->transformation) != verdict)
            continue;
        if (!best || is_better(guided, verdict, best))
            best = verdict;
    }
    return best;
}

/* ---- trying one transformation ---- */

static struct propose about_now(const struct guided *guided, const struct choice *choice)
{
    const struct session *session = guided->session;
    const struct measurement *now = &session->result->measurement[guided->now];
    struct kernel_counts counts = session->subject->counts(session->subject->data);
    double iterations = counts.iterations.known ? counts.iterations.value : 0;
    struct quantity latency = session->subject->machine->memory_latency_ns;
    struct quantity limit = session->subject->machine->l1_mshrs.used;
    return (struct propose){
        .nest = &session->nest,
        .machine = session->subject->machine,
        .now = choice,
        .iteration_s = iterations > 0 ? now->time_s.value / iterations : 0,
        .latency_ns = latency.known ? latency.value : 100,
        .miss_limit = limit.known ? limit.value : 0,
    };
}

static void add_neighbours(const struct session *session, const char *transformation,
                           const struct choice *best, struct choices *out)
{
    if (!session->has_space) {
        propose_neighbours(transformation, best, out);
        return;
    }
    snap_list(&session->space, out);
    snap_neighbours(&session->space, transformation, best, out);
}

/* Hill climbing from the best guess; two rounds at most. */
static int try_family(struct guided *guided, const char *transformation,
                      const struct choices *seeds, size_t *best, struct error *err)
{
    struct session *session = guided->session;
    if (settle_list(session, seeds, guided->now, best, err))
        return -1;
    for (int round = 0; round < 2 && *best != guided->now; round++) {
        struct choices near = {0};
        size_t before = *best;
        struct choice from = session->choice[*best];
        from.fallback = false;
        struct propose about = about_now(guided, &from);
        propose_on_top(&about, transformation, &near);
        add_neighbours(session, transformation, &from, &near);
        int status = settle_list(session, &near, guided->now, best, err);
        choices_release(&near);
        if (status)
            return -1;
        if (*best == before)
            break;
    }
    return 0;
}

static const char KEPT[] = "kept: faster beyond the noise";

/* A further try on top of what was kept does not hide that it was kept. */
static void note_outcome(struct guided *guided, const char *transformation,
                         const char *plan, struct quantity measured, const char *outcome)
{
    struct advice *advice = advice_for(guided->session->result, transformation);
    if (advice->outcome && !strcmp(advice->outcome, KEPT) && strcmp(outcome, KEPT))
        return;
    if (plan)
        replace(&advice->tried_plan, plan);
    advice->measured_speedup = measured;
    replace(&advice->outcome, outcome);
}

static void accept(struct guided *guided, size_t index)
{
    guided->now = guided->session->result->best = index;
    if (guided->session->result->measurement[index].has_occupancy)
        guided->explained = index;
    strvec_release(&guided->tried);
}

/* A third of what is left, so that small budgets pay for more than one transformation;
 * winners are measured once more in the end. */
static double confirm_s(const struct session *session)
{
    return fmin(6, fmax(2, session_left_s(session) / 3));
}

/* Faster beyond doubt: interleaved, the whole interval above 1, results equal at the full
 * size too. */
static int confirm(struct guided *guided, const char *transformation, size_t index,
                   struct error *err)
{
    struct session *session = guided->session;
    struct quantity ratio = quantity_unknown();
    struct choice choice = session->choice[index];
    session_say(session, "comparing %s with the best so far",
                session->result->measurement[index].plan);
    if (session_compare_surely(session, guided->now, index, confirm_s(session), &ratio,
                               err))
        return -1;
    bool faster = ratio.known && ratio.low > 1 && ratio.value >= SESSION_LEAST_GAIN;
    if (faster &&
        session_measure(session, &choice, false, MEASURE_EXPLAIN, 0, &index, err))
        return -1;
    bool right = session_timed(session, index);
    note_outcome(guided, transformation, session->result->measurement[index].plan, ratio,
                 !ratio.known ? "not kept: it could not be compared to the end"
                 : !faster    ? "not kept: no gain beyond the noise"
                 : !right     ? "not kept: it failed in the longer run at full size"
                              : KEPT);
    if (faster && right)
        accept(guided, index);
    return 0;
}

static void note_best_try(struct guided *guided, const char *transformation, size_t first)
{
    const struct search_result *result = guided->session->result;
    size_t best = result->measurement_nr;
    for (size_t i = first; i < result->measurement_nr; i++)
        if (session_timed(guided->session, i) &&
            (best == result->measurement_nr ||
             result->measurement[i].time_s.value <
                 result->measurement[best].time_s.value))
            best = i;
    if (best == result->measurement_nr) {
        note_outcome(guided, transformation, NULL, quantity_unknown(),
                     first == best
                         ? "no legal plan of it"
                         : "no plan of it ran to its end and gave the right results");
        return;
    }
    struct quantity gain = quantity_divide(result->measurement[guided->now].time_s,
                                           result->measurement[best].time_s);
    note_outcome(guided, transformation, result->measurement[best].plan, gain,
                 spawn_interrupted() ? "interrupted before it was compared"
                                     : "not kept: slower in a first run");
}

/* The rule cannot know that no plan of it makes sense here; the estimate can. */
static void note_no_plan(struct guided *guided, const char *transformation,
                         const char *why_not)
{
    note_outcome(guided, transformation, NULL, quantity_unknown(), why_not);
    advice_for(guided->session->result, transformation)->no_plan =
        propose_knows(transformation);
}

static void withdraw_without_plan(struct search_result *result)
{
    for (size_t i = 0; i < result->advice_nr; i++)
        if (result->advice[i].no_plan && !result->advice[i].tried_plan &&
            result->advice[i].verdict == VERDICT_TRY)
            result->advice[i].verdict = VERDICT_AVOID;
}

static int try_plans(struct guided *guided, const char *transformation, struct error *err)
{
    struct session *session = guided->session;
    struct choices list = {0};
    struct buf why_not = {0};
    struct choice now = session->choice[guided->now];
    now.fallback = false;
    struct propose about = about_now(guided, &now);
    size_t best = guided->now, first = session->result->measurement_nr;
    propose(&about, transformation, &list, &why_not);
    if (session->has_space && list.nr) {
        snap_list(&session->space, &list);
        buf_add(&why_not, list.nr ? "" : "the space holds no such plan");
    }
    int status = 0;
    if (list.nr == 0)
        note_no_plan(guided, transformation, buf_str(&why_not));
    else
        status = try_family(guided, transformation, &list, &best, err);
    if (!status && list.nr && best != guided->now && !spawn_interrupted())
        status = confirm(guided, transformation, best, err);
    else if (!status && list.nr)
        note_best_try(guided, transformation, first);
    choices_release(&list);
    buf_release(&why_not);
    return status;
}

/* What the file's own words offer is no transformation that rules know of. */
static void note_tunables(struct guided *guided)
{
    struct session *session = guided->session;
    struct combinations all;
    combinations_find(&session->view, &all);
    char *reason =
        xasprintf("The file offers %s%zu combinations of values for %zu constant%s.",
                  all.all ? "" : "more than ", all.nr, session->view.tunable_nr,
                  session->view.tunable_nr == 1 ? "" : "s");
    struct advice *advice = advice_for(session->result, "set");
    session_say(session, "%s", reason);
    advice->verdict = VERDICT_TRY;
    replace(&advice->rule, "tunables");
    replace(&advice->reason, reason);
    replace(&advice->source, "#pragma inflight tunable");
    free(reason);
    combinations_release(&all);
}

static int try_tunables(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    size_t best = guided->now, first = session->result->measurement_nr;
    if (session_over(session))
        return 0;
    if (tunables_climb(session, &best, err))
        return -1;
    if (best != guided->now && !spawn_interrupted())
        return confirm(guided, "set", best, err);
    if (first < session->result->measurement_nr)
        note_best_try(guided, "set", first);
    return 0;
}

/* Huge pages are the caller's affair: tried on the kernel as written, reported apart,
 * never part of the plan. */
static int try_huge_pages(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    size_t index = 0;
    if (!session->subject->huge_pages_available || session->opts->plans_only) {
        note_outcome(guided, "hugepages", NULL, quantity_unknown(),
                     session->opts->plans_only
                         ? "not tried: nothing beside plans was to be"
                         : "not tried: this machine gives no huge pages");
        return 0;
    }
    session_say(session, "trying huge pages");
    if (session_measure(session, &session->choice[0], true, MEASURE_QUICK, 0, &index,
                        err))
        return -1;
    if (!session_timed(session, index))
        return 0;
    if (session_compare(session, 0, index, search_closing_s(session->budget_s),
                        &session->result->environment_gain, err))
        return -1;
    note_outcome(guided, "hugepages", "huge pages", session->result->environment_gain,
                 "environment: reported apart from the source");
    return 0;
}

/* Of the first that had a plan to measure. */
static void note_first(struct search_result *result, const char *transformation,
                       size_t measured_before)
{
    if (result->first_tried || result->measurement_nr == measured_before)
        return;
    result->first_tried = xstrdup(transformation);
    result->first_gain = advice_for(result, transformation)->measured_speedup;
}

static int try_one(struct guided *guided, const struct rule_verdict *verdict,
                   struct error *err)
{
    struct search_result *result = guided->session->result;
    char *name = xstrdup(verdict->transformation);
    size_t before = result->measurement_nr;
    int status = 0;
    strvec_push(&guided->tried, name);
    if (strcmp(name, "hugepages")) {
        status = try_plans(guided, name, err);
        note_first(result, name, before);
    } else if (!result->environment_gain.known) {
        status = try_huge_pages(guided, err);
    }
    free(name);
    return status;
}

/* ---- the loop ---- */

static void set_stop(struct guided *guided, const char *sentence)
{
    replace(&guided->session->result->stop, sentence);
}

static int guide(struct guided *guided, struct error *err)
{
    for (;;) {
        if (judge(guided, err))
            return -1;
        if (guided->session->opts->advise_only) {
            set_stop(guided, "only the baseline was asked for");
            return 0;
        }
        const struct rule_verdict *verdict = next_verdict(guided);
        if (!verdict) {
            set_stop(guided, "no rule says that anything else can pay");
            return 0;
        }
        if (session_over(guided->session)) {
            set_stop(guided, "the budget is used up");
            return 0;
        }
        char *nothing =
            session_nothing_left(guided->session, guided->now, bound_of(guided, verdict));
        if (nothing) {
            set_stop(guided, nothing);
            free(nothing);
            return 0;
        }
        guided->session->judged = true;
        guided->session->promised = bound_of(guided, verdict);
        int status = try_one(guided, verdict, err);
        guided->session->judged = false;
        if (status)
            return -1;
    }
}

static int audit_one(struct guided *guided, size_t i, struct error *err)
{
    struct search_result *result = guided->session->result;
    size_t before = guided->now;
    char *name = xstrdup(result->advice[i].transformation);
    int status = result->advice[i].no_plan    ? 0
                 : !strcmp(name, "hugepages") ? try_huge_pages(guided, err)
                                              : try_plans(guided, name, err);
    if (!status)
        audit_note(guided->session, advice_for(result, name), before, guided->now);
    free(name);
    return status;
}

/* --audit: what the rules pruned is measured too, after the guided part. What is faster
 * is the winner then. */
static int audit(struct guided *guided, struct error *err)
{
    struct search_result *result = guided->session->result;
    audit_begin(guided->session, guided->now);
    for (size_t i = 0; i < result->advice_nr; i++) {
        if (!audit_wants(&result->advice[i]))
            continue;
        if (session_over(guided->session))
            audit_unreached(guided->session);
        else if (audit_one(guided, i, err))
            return -1;
    }
    return 0;
}

/* The constants first, and once more under what was kept: other loops, other tiles. */
static int search_all(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    bool tunable = session->view.tunable_nr > 0 && !session->opts->advise_only;
    if (tunable)
        note_tunables(guided);
    if (tunable && try_tunables(guided, err))
        return -1;
    size_t before = guided->now;
    if (!session->result->measurement[0].has_occupancy)
        set_stop(guided, "the traffic of the kernel is not known, so the rules cannot be "
                         "asked");
    else if (guide(guided, err))
        return -1;
    return tunable && guided->now != before ? try_tunables(guided, err) : 0;
}

int guided_run(struct session *session, struct error *err)
{
    struct guided guided = {.session = session};
    int status = search_all(&guided, err);
    if (!status && session->result->measurement[0].has_occupancy)
        note_pruned(&guided);
    if (!status && session->opts->audit)
        status = audit(&guided, err);
    withdraw_without_plan(session->result);
    rule_verdicts_release(&guided.verdicts);
    strvec_release(&guided.tried);
    return status;
}
