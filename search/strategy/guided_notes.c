/* What the guided search writes into the advice. */
#include <stdlib.h>
#include <string.h>

#include "search/finish/close.h"
#include "search/strategy/facts.h"
#include "search/strategy/guided.h"
#include "search/strategy/nearby.h"
#include "search/strategy/tunables.h"

struct quantity guided_bound(const struct guided *guided,
                             const struct rule_verdict *verdict)
{
    const struct search_result *result = guided->session->result;
    const struct measurement *explained = &result->measurement[guided->explained];
    if (!explained->has_occupancy || guided->session->opts->hide_occupancy)
        return quantity_unknown();
    struct quantity bound = verdict_bound(verdict, &explained->occupancy,
                                          result->measurement[guided->now].time_s);
    double share = explained->occupancy.diagnosis.share;
    bool elsewhere = session_unread_loop(guided->session, guided->explained) &&
                     !verdict->of_cause && share > 0 &&
                     propose_knows(verdict->transformation);
    /* plans for other loops leave the time that the cause takes */
    return elsewhere && !(bound.known && bound.value < 1 / share)
               ? quantity_between(1 / share, 1, 1 / share, 0, PROVENANCE_DERIVED)
               : bound;
}

struct advice *guided_advice(struct search_result *result, const char *transformation)
{
    for (size_t i = 0; i < result->advice_nr; i++)
        if (!strcmp(result->advice[i].transformation, transformation))
            return &result->advice[i];
    GROW(result->advice, result->advice_nr + 1, result->advice_alloc);
    struct advice *advice = &result->advice[result->advice_nr++];
    *advice = (struct advice){.transformation = xstrdup(transformation),
                              .trust = 0.5,
                              .by_hand = is_done_by_hand(transformation),
                              .bound_speedup = quantity_unknown(),
                              .measured_speedup = quantity_unknown()};
    return advice;
}

static void replace(char **text, const char *by)
{
    free(*text);
    *text = xstrdup(by);
}

/* Of a remedy with the line that the cause is in, where that is known. */
static char *reason_of(const struct guided *guided, const struct rule_verdict *verdict)
{
    const struct measurement *of =
        &guided->session->result->measurement[guided->explained];
    int line = of->has_occupancy ? of->occupancy.diagnosis.line : 0;
    bool remedies = verdict->of_cause && verdict->verdict <= VERDICT_ALLOW;
    return remedies && line > 0 ? xasprintf("Line %d: %s", line, verdict->reason)
                                : xstrdup(verdict->reason);
}

void guided_note_verdict(struct guided *guided, const struct rule_verdict *verdict)
{
    struct advice *advice =
        guided_advice(guided->session->result, verdict->transformation);
    if (advice->tried_plan)
        return;
    char *reason = reason_of(guided, verdict);
    advice->verdict = verdict->verdict;
    advice->undecided = verdict->undecided;
    advice->over = guided->now;
    advice->trust = verdict->weight / 100.0 *
                    session_rule_factor(guided->session, verdict->rule) *
                    verdict->realized;
    advice->bound_speedup = guided_bound(guided, verdict);
    replace(&advice->rule, verdict->rule);
    replace(&advice->reason, reason);
    replace(&advice->source, verdict->source);
    free(reason);
}

/* As a step of another transformation's plan. */
static bool was_a_step(const struct search_result *result, const char *transformation)
{
    for (size_t i = 0; i < result->measurement_nr; i++)
        if (plan_follows(result->measurement[i].plan, transformation))
            return true;
    return false;
}

void guided_note_pruned(struct guided *guided)
{
    struct search_result *result = guided->session->result;
    for (size_t i = 0; i < guided->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &guided->verdicts.item[i];
        if (verdict->verdict != VERDICT_TRY &&
            !guided_advice(result, verdict->transformation)->tried_plan &&
            !was_a_step(result, verdict->transformation) &&
            rule_verdicts_deciding(&guided->verdicts, verdict->transformation) == verdict)
            session_prune(guided->session, verdict->transformation, verdict->rule,
                          verdict->reason);
    }
}

void guided_note_outcome(struct guided *guided, const char *transformation,
                         const char *plan, struct quantity measured, const char *outcome)
{
    struct advice *advice = guided_advice(guided->session->result, transformation);
    if (advice->outcome && !strcmp(advice->outcome, SESSION_KEPT) &&
        strcmp(outcome, SESSION_KEPT))
        return;
    if (plan)
        replace(&advice->tried_plan, plan);
    advice->measured_speedup = measured;
    replace(&advice->outcome, outcome);
}

/* Nothing of it was measured now: what came of its plans, which were proposed. *known:
 * one that was measured before, where that is all that is left of them. */
static char *why_none_ran(const struct guided *guided, const struct choices *list,
                          bool *refused, const char **known)
{
    const struct search_result *result = guided->session->result;
    const char *reason = NULL;
    size_t refused_nr = 0, known_nr = 0;
    for (size_t i = 0; i < list->nr; i++) {
        const char *why = session_refusal(guided->session, &list->item[i]);
        size_t at = session_find(guided->session, &list->item[i]);
        if (!why && at < result->measurement_nr && !known_nr++)
            *known = result->measurement[at].plan;
        else if (why && !refused_nr++)
            reason = why;
    }
    *refused = list->nr && refused_nr == list->nr;
    if (*refused)
        return list->nr == 1
                   ? xasprintf("not tried: its plan was refused (%s)", reason)
                   : xasprintf("not tried: each of its %zu plans was refused (%s)",
                               list->nr, reason);
    if (refused_nr + known_nr == list->nr)
        return xstrdup("no plan of it that had not been measured before");
    *known = NULL;
    return xstrdup("not tried: the search ended before that");
}

void guided_note_best_try(struct guided *guided, const char *transformation,
                          const struct choices *list, size_t first)
{
    const struct search_result *result = guided->session->result;
    size_t best = result->measurement_nr;
    for (size_t i = first; i < result->measurement_nr; i++)
        if (session_timed(guided->session, i) &&
            (best == result->measurement_nr ||
             result->measurement[i].time_s.value <
                 result->measurement[best].time_s.value))
            best = i;
    if (first == result->measurement_nr) {
        bool refused = false;
        const char *known = NULL;
        char *why = why_none_ran(guided, list, &refused, &known);
        guided_note_outcome(guided, transformation, known, quantity_unknown(), why);
        guided_advice(guided->session->result, transformation)->refused = refused;
        free(why);
        return;
    }
    if (best == result->measurement_nr) {
        char *failure = measurement_failure(&result->measurement[first]),
             *none = xasprintf("no plan of it ran to its end and gave the right results; "
                               "%s: %s",
                               result->measurement[first].plan, failure);
        guided_note_outcome(guided, transformation, result->measurement[first].plan,
                            quantity_unknown(), none);
        free(failure);
        free(none);
        return;
    }
    struct quantity gain = quantity_divide(result->measurement[guided->now].time_s,
                                           result->measurement[best].time_s);
    guided_note_outcome(guided, transformation, result->measurement[best].plan, gain,
                        spawn_interrupted() ? "interrupted before it was compared"
                                            : "not kept: slower in a first run");
}

/* The only thing that it adds; NULL = there are several, or a rule said nothing against
 * it. */
static struct advice *against_alone(struct guided *guided, const struct choice *from,
                                    size_t i)
{
    const char *name[NEAR_ADDED_MAX];
    size_t nr = near_added(from, &guided->session->choice[i], name);
    struct search_result *result = guided->session->result;
    for (size_t k = 0; nr == 1 && k < result->advice_nr; k++)
        if (!strcmp(result->advice[k].transformation, name[0]) &&
            result->advice[k].verdict != VERDICT_TRY)
            return &result->advice[k];
    return NULL;
}

static bool is_gain(struct quantity gain)
{
    return gain.known && gain.low > 1 && gain.value >= SESSION_MIN_GAIN;
}

void guided_note_tried(struct guided *guided, const struct choice *from, size_t i)
{
    const struct search_result *result = guided->session->result;
    const struct advice *advice = against_alone(guided, from, i);
    if (!advice || !session_timed(guided->session, i))
        return;
    struct quantity gain = quantity_divide(result->measurement[guided->now].time_s,
                                           result->measurement[i].time_s),
                    before = advice->measured_speedup;
    if (!advice->tried_plan || !before.known || before.value < gain.value)
        guided_note_outcome(
            guided, advice->transformation, result->measurement[i].plan, gain,
            is_gain(gain) ? "not kept: the search went on from other plans"
                          : "not kept: no faster in first runs");
}

void guided_note_found(struct guided *guided, size_t before, size_t i,
                       struct quantity gain)
{
    const char *name[NEAR_ADDED_MAX];
    struct session *session = guided->session;
    struct search_result *result = session->result;
    size_t nr = near_added(&session->choice[before], &session->choice[i], name);
    for (size_t k = 0; k < result->advice_nr; k++) {
        struct advice *advice = &result->advice[k];
        bool adds = false;
        for (size_t n = 0; n < nr; n++)
            adds = adds || !strcmp(advice->transformation, name[n]);
        if (!adds || advice->verdict == VERDICT_TRY)
            continue;
        replace(&advice->tried_plan, result->measurement[i].plan);
        replace(&advice->outcome,
                nr == 1 ? SESSION_KEPT
                        : "kept: faster beyond the noise with another step");
        advice->measured_speedup = nr == 1 ? gain : quantity_unknown();
        advice->contradicted = true;
        if (!result->audit.nr)
            audit_begin(session, before);
        audit_note(session, advice, before, i);
    }
}

bool guided_note_by_hand(struct guided *guided, const char *transformation)
{
    const struct rule_verdict *verdict =
        rule_verdicts_deciding(&guided->verdicts, transformation);
    const struct kernel_loop *loop =
        session_unread_loop(guided->session, guided->explained);
    if (!loop || !verdict || !verdict->of_cause || verdict->verdict != VERDICT_TRY ||
        !propose_knows(transformation))
        return false;
    char *outcome = xasprintf("not tried, it is done by hand: no plan names the loop in "
                              "line %d",
                              loop->line);
    guided_note_outcome(guided, transformation, NULL, quantity_unknown(), outcome);
    guided_advice(guided->session->result, transformation)->by_hand = true;
    free(outcome);
    return true;
}

void guided_note_no_plan(struct guided *guided, const char *transformation,
                         const char *why_not)
{
    guided_note_outcome(guided, transformation, NULL, quantity_unknown(), why_not);
    guided_advice(guided->session->result, transformation)->no_plan =
        propose_knows(transformation);
}

/* The first of the plans for it that is legal; caller frees, NULL = none is. */
static char *legal_plan(struct guided *guided, const char *transformation, bool *any,
                        struct buf *why_not)
{
    enum { LOOKS = 3 };
    struct choice now = guided->session->choice[guided->now];
    struct choices list = {0};
    char *plan = NULL;
    now.fallback = false;
    struct propose about = guided_about(guided, guided->now, &now);
    propose(&about, transformation, &list, why_not);
    *any = list.nr > 0;
    for (size_t i = 0; !plan && i < list.nr && i < LOOKS; i++) {
        const char *why = NULL;
        if (session_remedied(guided->session, &list.item[i]))
            plan = choice_text(&list.item[i]);
        else if (!why_not->length)
            why = session_refusal(guided->session, &list.item[i]);
        buf_add(why_not, why ? why : "");
    }
    choices_release(&list);
    return plan;
}

void guided_suggest(struct guided *guided)
{
    struct session *session = guided->session;
    struct search_result *result = session->result;
    bool is_over = session_over(session) && !session->opts->advise_only;
    if (is_over || session->has_space || spawn_interrupted())
        return;
    for (size_t i = 0; i < result->advice_nr; i++) {
        struct advice *advice = &result->advice[i];
        struct buf why_not = {0};
        bool any = false;
        if (advice->verdict != VERDICT_TRY || advice->tried_plan || advice->no_plan ||
            advice->refused || !propose_knows(advice->transformation) ||
            guided_note_by_hand(guided, advice->transformation))
            continue;
        advice->plan = legal_plan(guided, advice->transformation, &any, &why_not);
        if (!any)
            guided_note_no_plan(guided, advice->transformation, buf_str(&why_not));
        advice->refused = any && !advice->plan;
        if (advice->refused) {
            char *outcome =
                xasprintf("no plan of it is legal here%s%s%s", why_not.length ? " (" : "",
                          buf_str(&why_not), why_not.length ? ")" : "");
            replace(&advice->outcome, outcome);
            free(outcome);
        }
        buf_release(&why_not);
    }
}

void guided_withdraw(struct search_result *result)
{
    for (size_t i = 0; i < result->advice_nr; i++)
        if (result->advice[i].no_plan && !result->advice[i].tried_plan &&
            result->advice[i].verdict == VERDICT_TRY)
            result->advice[i].verdict = VERDICT_AVOID;
}

/* Huge pages are measured at the end whatever the rules say of them. */
static void settle_pages(const struct search_result *result, struct advice *advice)
{
    if (strcmp(advice->transformation, "hugepages") || !result->environment_gain.known)
        return;
    advice->measured_speedup = result->environment_gain;
    if (!advice->tried_plan)
        replace(&advice->tried_plan, "huge pages");
    if (!advice->outcome)
        replace(&advice->outcome, "environment: reported apart from the source");
}

/* A step of the plan that was kept, though no rule advised it. */
static void settle_step(const struct search_result *result, struct advice *advice)
{
    if (!result->best || advice->verdict == VERDICT_TRY || advice->outcome ||
        !plan_follows(result->measurement[result->best].plan, advice->transformation))
        return;
    replace(&advice->outcome, "kept as a step of the plan");
    advice->contradicted = true;
}

void guided_remeasure(struct search_result *result)
{
    for (size_t i = 0; i < result->advice_nr; i++) {
        struct advice *advice = &result->advice[i];
        struct quantity gain;
        settle_pages(result, advice);
        settle_step(result, advice);
        gain = advice->measured_speedup;
        if (advice->verdict == VERDICT_TRY ? gain.known && gain.high < 1 : is_gain(gain))
            advice->contradicted = true;
    }
}

void guided_note_tunables(struct guided *guided)
{
    struct session *session = guided->session;
    struct combinations all;
    combinations_find(&session->view, &all);
    char *reason =
        xasprintf("The file offers %s%zu combinations of values for %zu constant%s.",
                  all.all ? "" : "more than ", all.nr, session->view.tunable_nr,
                  session->view.tunable_nr == 1 ? "" : "s");
    struct advice *advice = guided_advice(session->result, "set");
    session_say(session, "%s", reason);
    advice->verdict = VERDICT_TRY;
    replace(&advice->rule, "tunables");
    replace(&advice->reason, reason);
    replace(&advice->source, "#pragma inflight tunable");
    free(reason);
    combinations_release(&all);
}

void guided_note_first(struct search_result *result, const char *transformation,
                       size_t measured_before)
{
    if (result->first_tried || result->measurement_nr == measured_before)
        return;
    result->first_tried = xstrdup(transformation);
    result->first_gain = guided_advice(result, transformation)->measured_speedup;
}
