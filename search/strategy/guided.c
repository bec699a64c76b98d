/*
 * The guided strategy: measure, ask the rules, try the most promising transformation with
 * model-seeded parameters, keep what is faster beyond doubt, measure again; stop when no
 * rule says "try" any more, the bound on what is left is within the noise, or time is up.
 */
#include "search/strategy/guided.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "search/finish/close.h"
#include "search/finish/headroom.h"
#include "search/finish/remeasure.h"
#include "search/space/nearest.h"
#include "search/strategy/facts.h"
#include "search/strategy/nearby.h"
#include "search/strategy/tunables.h"

/* ---- judging ---- */

static bool has_name(const char *const *name, size_t nr, const char *wanted)
{
    for (size_t i = 0; i < nr; i++)
        if (!strcmp(name[i], wanted))
            return true;
    return false;
}

/* A step of the plan makes it worth something, whatever a rule says of it alone. */
static bool is_enabled(const struct guided *guided, const char *transformation,
                       const char *const *had, size_t had_nr)
{
    size_t nr = 0;
    const struct rule_pair *pair = rule_set_pairs(guided->session->opts->rules, &nr);
    for (size_t i = 0; i < nr; i++)
        if ((!strcmp(pair[i].first, transformation) &&
             has_name(had, had_nr, pair[i].second)) ||
            (!strcmp(pair[i].second, transformation) &&
             has_name(had, had_nr, pair[i].first)))
            return true;
    return false;
}

bool guided_advises_against(const struct guided *guided, const struct choice *from,
                            const struct choice *to)
{
    const struct choice none = {0};
    const char *added[NEAR_ADDED_MAX], *had[NEAR_ADDED_MAX];
    size_t nr = near_added(from, to, added), had_nr = near_added(&none, from, had);
    for (size_t i = 0; i < nr; i++) {
        const struct rule_verdict *verdict =
            rule_verdicts_deciding(&guided->verdicts, added[i]);
        if (verdict && verdict->verdict != VERDICT_TRY && !verdict->undecided &&
            !is_enabled(guided, added[i], had, had_nr))
            return true;
    }
    return false;
}

/* What was counted is of the kernel as written. */
static void hear_counters(struct session *session)
{
    struct occupancy *occupancy = &session->result->measurement[0].occupancy;
    struct counted counted = {0};
    for (size_t i = 0; i < session->opts->fact_nr; i++)
        (void)counted_put(&counted, session->opts->fact[i].metric,
                          session->opts->fact[i].value);
    diagnosis_count(&occupancy->diagnosis, occupancy, &counted);
}

static int judge(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    if (session->result->measurement[0].has_occupancy && !session->opts->hide_occupancy)
        hear_counters(session);
    struct rule_facts *facts = rule_facts_new();
    rule_verdicts_release(&guided->verdicts);
    int status = session_facts(session, guided->now, guided->explained, facts, err);
    if (!status)
        status = rule_set_judge(session->opts->rules, facts, &guided->verdicts, err);
    for (size_t i = 0; !status && i < guided->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &guided->verdicts.item[i];
        if (rule_verdicts_deciding(&guided->verdicts, verdict->transformation) == verdict)
            guided_note_verdict(guided, verdict);
    }
    rule_facts_free(facts);
    return status;
}

static bool was_tried(const struct guided *guided, const char *transformation)
{
    return strvec_has(&guided->tried, transformation);
}

/*
 * Ranked by bound; what has none ranks among gains of 2. Bounds beyond 10 say no more
 * than 10, and bounds come from intervals: those less than a factor of 1.4 apart are
 * alike. Then the rules' weights decide, which put the order of loops before what is
 * built on it.
 */
static double promise(const struct guided *guided, const struct rule_verdict *verdict)
{
    struct quantity bound = guided_bound(guided, verdict);
    double worth = advice_worth(bound);
    return exp2(round(2 * log2(worth)) / 2) * (1 + verdict->weight / 100.0) *
           session_rule_factor(guided->session, verdict->rule);
}

/* Advised against by figures whose intervals allow the opposite: tried when nothing that
 * is advised is left. */
static bool is_doubtful(const struct rule_verdict *verdict)
{
    return verdict->verdict != VERDICT_TRY && verdict->undecided;
}

static bool is_better(const struct guided *guided, const struct rule_verdict *verdict,
                      const struct rule_verdict *best)
{
    if (is_doubtful(verdict) != is_doubtful(best))
        return is_doubtful(best);
    return promise(guided, verdict) > promise(guided, best);
}

static const char *const pages = "hugepages";

/* Huge pages are no part of a plan: they have their turn at the end. */
static const struct rule_verdict *next_verdict(const struct guided *guided, bool of_pages,
                                               bool doubtful)
{
    const struct rule_verdict *best = NULL;
    for (size_t i = 0; i < guided->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &guided->verdicts.item[i];
        if (!strcmp(verdict->transformation, pages) != of_pages ||
            (verdict->verdict != VERDICT_TRY && !(doubtful && verdict->undecided)) ||
            was_tried(guided, verdict->transformation) ||
            rule_verdicts_deciding(&guided->verdicts, verdict->transformation) != verdict)
            continue;
        if (!best || is_better(guided, verdict, best))
            best = verdict;
    }
    return best;
}

/* ---- trying one transformation ---- */

static bool can_be(void *data, struct choice *choice)
{
    return session_can_be(data, choice);
}

static bool is_chained(const struct measurement *of)
{
    enum cause cause = of->occupancy.diagnosis.cause;
    return of->has_occupancy &&
           (cause == CAUSE_DEPENDENT_LOADS || cause == CAUSE_RECURRENCE);
}

struct propose guided_about(const struct guided *guided, size_t index,
                            const struct choice *choice)
{
    struct session *session = guided->session;
    const struct measurement *now = &session->result->measurement[index];
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
        .chained = is_chained(&session->result->measurement[guided->explained]),
        .can_be = session->has_space || session->runner->asks_legality ? NULL : can_be,
        .data = session,
    };
}

static void add_neighbours(const struct session *session, const char *transformation,
                           const struct choice *best, struct choices *out)
{
    if (!session->has_space) {
        propose_neighbours(transformation, best, out);
        return;
    }
    nearest_list(&session->space, out);
    nearest_neighbours(&session->space, transformation, best, out);
}

/* The fastest of them that is hardly slower than the present best: what looks like that
 * in a first run may be next to something better. measurement_nr = none. */
static size_t near_miss(const struct guided *guided, const struct choices *tried)
{
    const struct search_result *result = guided->session->result;
    const double hardly = 1.1; /* as in remeasure.c: two launches apart */
    double min = hardly * result->measurement[guided->now].time_s.value;
    size_t best = result->measurement_nr;
    for (size_t i = 0; i < tried->nr; i++) {
        size_t index = session_find(guided->session, &tried->item[i]);
        if (index == result->measurement_nr || !session_timed(guided->session, index) ||
            result->measurement[index].time_s.value >= min)
            continue;
        min = result->measurement[index].time_s.value;
        best = index;
    }
    return best;
}

/* Hill climbing from the best guess; two rounds at most. */
static int try_family(struct guided *guided, const char *transformation,
                      const struct choices *seeds, size_t *best, struct error *err)
{
    struct session *session = guided->session;
    if (remeasure_list(session, seeds, guided->now, best, err))
        return -1;
    size_t start = *best != guided->now ? *best : near_miss(guided, seeds);
    for (int round = 0; round < 2 && start < session->result->measurement_nr; round++) {
        struct choices near = {0};
        size_t before = *best;
        struct choice from = session->choice[start];
        from.fallback = false;
        struct propose about = guided_about(guided, guided->now, &from);
        propose_on_top(&about, transformation, &near);
        add_neighbours(session, transformation, &from, &near);
        int status = remeasure_list(session, &near, guided->now, best, err);
        choices_release(&near);
        if (status)
            return -1;
        if (*best == before)
            break;
        start = *best;
    }
    return 0;
}

void guided_accept(struct guided *guided, size_t index)
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
    return fmin(6, fmax(PACE_MIN_S, session_left_s(session) / 3));
}

/* What first looks have shown by so much needs no other before the last comparisons. */
static const double surely_faster = 1.1;

/* Faster beyond doubt: interleaved, the whole interval above 1, results equal at the full
 * size too. */
int guided_confirm(struct guided *guided, const char *transformation, size_t index,
                   struct error *err)
{
    struct session *session = guided->session;
    struct quantity ratio = evidence_ratio(&session->evidence, guided->now, index);
    if (!ratio.known || ratio.low < surely_faster) {
        session_say(session, "comparing %s with the best so far",
                    session->result->measurement[index].plan);
        if (session_look(session, guided->now, index, confirm_s(session), &ratio, err))
            return -1;
    }
    bool faster = session_is_gain(ratio), right = true;
    if (faster && session_explain(session, index, &right, err))
        return -1;
    if (transformation) {
        char *failure = measurement_failure(&session->result->measurement[index]),
             *failed = xasprintf("not kept: %s", failure);
        guided_note_outcome(guided, transformation,
                            session->result->measurement[index].plan,
                            right ? ratio : quantity_unknown(),
                            !ratio.known ? "not kept: it could not be compared to the end"
                            : !faster    ? "not kept: no gain beyond the noise"
                            : !right     ? failed
                                         : SESSION_KEPT);
        free(failure);
        free(failed);
    }
    if (faster && right && !transformation)
        guided_note_found(guided, guided->now, index, ratio);
    if (faster && right)
        guided_accept(guided, index);
    return 0;
}

/* `list`: what is proposed on top of `from`. */
static int try_on_top(struct guided *guided, struct choice from,
                      const char *transformation, struct choices *list,
                      struct buf *why_not, size_t *best, struct error *err)
{
    struct session *session = guided->session;
    from.fallback = false;
    struct propose about = guided_about(guided, guided->now, &from);
    propose(&about, transformation, list, why_not);
    if (session->has_space && list->nr) {
        nearest_list(&session->space, list);
        buf_add(why_not, list->nr ? "" : "the space holds no such plan");
    }
    return list->nr ? try_family(guided, transformation, list, best, err) : 0;
}

/* On top of the best so far; where none of it can be, in place of what that does in the
 * nest. What a recorded space leaves out is not refused. */
int guided_try_plans(struct guided *guided, const char *transformation, struct error *err)
{
    struct session *session = guided->session;
    struct choices list = {0}, anew = {0};
    struct buf why_not = {0}, why_not_anew = {0};
    const struct choice now = session->choice[guided->now], none = choice_unshaped(&now);
    size_t best = guided->now, first = session->result->measurement_nr;
    if (guided_note_by_hand(guided, transformation))
        return 0;
    int status = try_on_top(guided, now, transformation, &list, &why_not, &best, err);
    if (!status && guided->now && !session->has_space &&
        session->result->measurement_nr == first)
        status =
            try_on_top(guided, none, transformation, &anew, &why_not_anew, &best, err);
    if (!status && list.nr + anew.nr == 0)
        guided_note_no_plan(guided, transformation, buf_str(&why_not));
    else if (!status && best != guided->now && !spawn_interrupted())
        status = guided_confirm(guided, transformation, best, err);
    else if (!status)
        guided_note_best_try(guided, transformation, list.nr ? &list : &anew, first);
    choices_release(&list);
    choices_release(&anew);
    buf_release(&why_not);
    buf_release(&why_not_anew);
    return status;
}

int guided_try_tunables(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    size_t best = guided->now, first = session->result->measurement_nr;
    if (session_over(session))
        return 0;
    if (tunables_climb(session, &best, err))
        return -1;
    if (best != guided->now && !spawn_interrupted())
        return guided_confirm(guided, "set", best, err);
    if (first < session->result->measurement_nr)
        guided_note_best_try(guided, "set", &(struct choices){0}, first);
    return 0;
}

/* Huge pages are the caller's affair: tried on the kernel as written, reported apart,
 * never part of the plan. */
int guided_try_huge_pages(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    struct quantity *gain = &session->result->environment_gain;
    if (!session->subject->huge_pages_available || session->opts->plans_only) {
        guided_note_outcome(guided, pages, NULL, quantity_unknown(),
                            session->opts->plans_only
                                ? "not tried: only plans were to be tried"
                                : "not tried: this machine gives no huge pages");
        return 0;
    }
    enum { LATER = 3 }; /* the winner, on huge pages too, and its file */
    if (session_compare_pages(session, 0, LATER, gain, err))
        return -1;
    if (gain->known)
        guided_note_outcome(guided, pages, "huge pages", *gain,
                            "environment: reported apart from the source");
    return 0;
}

static int try_one(struct guided *guided, const struct rule_verdict *verdict,
                   struct error *err)
{
    struct search_result *result = guided->session->result;
    char *name = xstrdup(verdict->transformation);
    size_t before = result->measurement_nr;
    int status = 0;
    strvec_push(&guided->tried, name);
    if (strcmp(name, pages)) {
        status = guided_try_plans(guided, name, err);
        guided_note_first(result, name, before);
    } else {
        status = guided_try_huge_pages(guided, err);
    }
    free(name);
    return status;
}

/* ---- the loop ---- */

void guided_set_stop(struct guided *guided, const char *sentence)
{
    free(guided->session->result->stop);
    guided->session->result->stop = xstrdup(sentence);
    guided->session->result->used_up = false;
    guided->no_more = false;
}

/* Advice that is to be tried and was not: all, or what is refused of it. */
static bool any_left(const struct search_result *result, bool refused)
{
    for (size_t i = 0; i < result->advice_nr; i++)
        if (result->advice[i].verdict == VERDICT_TRY && !result->advice[i].tried_plan &&
            !result->advice[i].no_plan && result->advice[i].refused == refused)
            return true;
    return false;
}

void guided_set_used_up(struct guided *guided, const char *detail)
{
    char *stop = xasprintf("%s is used up%s", session_end_of(guided->session), detail);
    guided_set_stop(guided, stop);
    guided->session->result->used_up = true;
    free(stop);
}

void guided_say_no_more(struct guided *guided)
{
    const struct search_result *result = guided->session->result;
    guided_set_stop(
        guided,
        any_left(result, false) ? "the rules had no more that could be tried"
        : any_left(result, true)
            ? "the rest of the rules' advice has no legal plan, as the advice says"
            : "no rule says that anything else can pay");
    guided->no_more = true;
}

int guided_ask_rules(struct guided *guided, bool doubtful, struct error *err)
{
    for (;;) {
        if (judge(guided, err))
            return -1;
        if (guided->session->opts->advise_only) {
            guided_set_stop(guided, "only the baseline was asked for");
            return 0;
        }
        const struct rule_verdict *verdict = next_verdict(guided, false, doubtful);
        bool reached = verdict && session_reached(guided->session, guided->now,
                                                  guided_bound(guided, verdict));
        guided->session->result->left.reached_stopped = reached;
        if (!verdict || reached) {
            guided_say_no_more(guided);
            if (reached)
                guided_set_stop(guided,
                                "the limiting resource is at its limit as far as can be "
                                "told, and the rest of the rules' advice may gain "
                                "nothing");
            return 0;
        }
        if (session_over(guided->session)) {
            guided_set_used_up(guided, "");
            return 0;
        }
        char *nothing = session_no_headroom(guided->session, guided->now);
        if (nothing) {
            guided->session->result->left.nothing_stopped = true;
            guided_set_stop(guided, nothing);
            free(nothing);
            return 0;
        }
        guided->session->judged = true;
        guided->session->promised = guided_bound(guided, verdict);
        int status = try_one(guided, verdict, err);
        guided->session->judged = false;
        if (status)
            return -1;
    }
}

int guided_ask_pages(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    const struct rule_verdict *verdict = next_verdict(guided, true, true);
    if (session->opts->advise_only || !verdict ||
        session->result->environment_gain.known || !session_affords_pages(session, 0))
        return 0;
    return try_one(guided, verdict, err);
}
