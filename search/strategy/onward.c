/* What guided search does around the rules: constants before them, the audit and going on
 * behind them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "search/finish/close.h"
#include "search/finish/headroom.h"
#include "search/propose/propose.h"
#include "search/session/prebuild.h"
#include "search/session/race.h"
#include "search/space/nearest.h"
#include "search/strategy/facts.h"
#include "search/strategy/guided.h"
#include "search/strategy/nearby.h"

/* ---- onward ---- */

/*
 * What guided search does when the rules have nothing more to try and there is time: it
 * goes on around the fastest plan. First plans next to it by what no rule advises
 * against, then pairs of steps that pay only together, then what a rule said cannot pay;
 * then around the runners-up, then by chance.
 */

/* Of the budget: for finding out which of those that were tried is the fastest. */
static const double race_share = 0.15;
/* As for first tries (remeasure.c). */
static const double hopeless = 1.5;
/* Slower than this by what is known, its neighbours are hardly the fastest. */
static const double runner_up = 1.3;

struct onward {
    struct guided *guided;
    struct near near;
    uint64_t random;
    size_t refused;      /* it led, and was no gain when compared anew; 0 = none */
    struct plan *slower; /* changes (change_of) that were, by a tenth or more */
    size_t slower_nr, slower_alloc;
    size_t tried;
};

typedef void list_of_plans(struct onward *onward, size_t centre, struct choices *out);

/* ---- what comes next ---- */

static const struct choice *choice_of(const struct onward *onward, size_t i)
{
    return &onward->guided->session->choice[i];
}

/* The steps of one plan that the other does not have. */
static struct plan change_of(const struct choice *from, const struct choice *to)
{
    struct plan change = {0};
    for (size_t i = 0; i < to->plan.step_nr; i++)
        if (!plan_has_step(&from->plan, to->plan.step[i]))
            plan_append(&change, to->plan.step[i]);
    return change;
}

/* It was slower on top of another plan: likely on top of this one, too. */
static bool was_slower(const struct onward *onward, const struct choice *from,
                       const struct choice *to)
{
    struct plan change = change_of(from, to);
    bool found = false;
    for (size_t i = 0; change.step_nr && !found && i < onward->slower_nr; i++)
        found = plans_equal(&onward->slower[i], &change);
    return found;
}

enum near_which { NEAR_ADVISED, NEAR_SLOWER, NEAR_PRUNED };

/* Each with what it adds judged; pruned: what a rule advises against alone. */
static void list_near(struct onward *onward, size_t of, enum near_which which,
                      struct choices *out)
{
    const struct choice from = *choice_of(onward, of);
    struct choices near = {0};
    near_list(&onward->near, &from, &near);
    for (size_t i = 0; i < near.nr; i++) {
        const struct choice *to = &near.item[i];
        enum near_which is = guided_advises_against(onward->guided, &from, to)
                                 ? NEAR_PRUNED
                             : was_slower(onward, &from, to) ? NEAR_SLOWER
                                                             : NEAR_ADVISED;
        if (is == which)
            choices_add(out, to);
    }
    choices_release(&near);
}

static void list_advised(struct onward *onward, size_t centre, struct choices *out)
{
    list_near(onward, centre, NEAR_ADVISED, out);
}

static void list_slower(struct onward *onward, size_t centre, struct choices *out)
{
    list_near(onward, centre, NEAR_SLOWER, out);
}

static void list_pruned(struct onward *onward, size_t centre, struct choices *out)
{
    list_near(onward, centre, NEAR_PRUNED, out);
}

/* The best guesses of the second step on top of those of the first. */
static void list_pair(struct onward *onward, size_t centre, const struct rule_pair *pair,
                      struct choices *out)
{
    enum { GUESSES = 2 };
    struct choice from = *choice_of(onward, centre);
    struct choices first = {0};
    struct buf why_not = {0};
    from.fallback = false;
    struct propose about = guided_about(onward->guided, centre, &from);
    propose(&about, pair->first, &first, &why_not);
    for (size_t i = 0; i < first.nr && i < GUESSES; i++) {
        struct choices both = {0};
        first.item[i].fallback = false;
        struct propose on_top = guided_about(onward->guided, centre, &first.item[i]);
        propose(&on_top, pair->second, &both, &why_not);
        for (size_t k = 0; k < both.nr && k < GUESSES; k++)
            choices_add(out, &both.item[k]);
        choices_release(&both);
    }
    choices_release(&first);
    buf_release(&why_not);
}

static void list_pairs(struct onward *onward, size_t centre, struct choices *out)
{
    struct session *session = onward->guided->session;
    size_t nr = 0;
    const struct rule_pair *pair = rule_set_pairs(session->opts->rules, &nr);
    for (size_t i = 0; i < nr; i++)
        list_pair(onward, centre, &pair[i], out);
    if (session->has_space && out->nr)
        nearest_list(&session->space, out);
}

static void list_runners_up(struct onward *onward, size_t centre, struct choices *out)
{
    enum { RUNNERS_UP = 2 };
    struct session *session = onward->guided->session;
    double min = evidence_s(&session->evidence, centre);
    size_t next = centre;
    for (int i = 0; i < RUNNERS_UP; i++) {
        next = race_next(session, next);
        if (next == SIZE_MAX || evidence_s(&session->evidence, next) > runner_up * min)
            return;
        list_near(onward, next, NEAR_ADVISED, out);
    }
}

static void list_walks(struct onward *onward, size_t centre, struct choices *out)
{
    enum { WALKS = 64 };
    const struct choice from = *choice_of(onward, centre);
    for (int i = 0; i < WALKS; i++) {
        struct choice walked;
        if (near_walk(&onward->near, &from, &onward->random, &walked))
            choices_add(out, &walked);
    }
}

/* Of a space, when nothing near is left. */
static void list_rest(struct onward *onward, size_t centre, struct choices *out)
{
    const struct choices *space = &onward->guided->session->space;
    size_t from = space->nr ? random_next(&onward->random) % space->nr : 0;
    (void)centre;
    for (size_t i = 0; i < space->nr; i++)
        choices_add(out, &space->item[(from + i) % space->nr]);
}

/* Until there is none, what leads is not explained. */
static list_of_plans *const next_to[] = {list_advised};

/* One after the other, when nothing next to the fastest so far is left: two steps that
 * may pay only together; what was slower on top of another plan; what a rule says that it
 * cannot pay; next to a runner-up; by chance, a few steps from the fastest, or anywhere.
 */
static list_of_plans *const further[] = {
    list_pairs, list_slower, list_pruned, list_runners_up, list_walks, list_rest,
};

/* Not measured yet and legal, each once. */
static void keep_new(struct onward *onward, struct choices *list)
{
    struct session *session = onward->guided->session;
    struct choices kept = {0};
    struct strvec seen = {0};
    for (size_t i = 0; i < list->nr; i++) {
        char *plan = choice_text(&list->item[i]);
        bool is_new = !strvec_has(&seen, plan) &&
                      session_find_alike(session, &list->item[i]) ==
                          session->result->measurement_nr &&
                      !session_refusal(session, &list->item[i]);
        strvec_push(&seen, plan);
        free(plan);
        list->item[i].fallback = false;
        if (is_new)
            choices_add(&kept, &list->item[i]);
    }
    strvec_release(&seen);
    choices_release(list);
    *list = kept;
}

/* ---- trying ---- */

/* The best that is confirmed, unless another is likely to be faster by what counts: among
 * equals it stays where it is. */
static size_t centre_of(const struct onward *onward)
{
    struct guided *guided = onward->guided;
    struct session *session = guided->session;
    size_t leader = race_leader(session);
    struct quantity gain = evidence_ratio(&session->evidence, guided->now, leader);
    return gain.known && gain.value >= SESSION_MIN_GAIN ? leader : guided->now;
}

static bool is_over(const struct onward *onward)
{
    const struct session *session = onward->guided->session;
    return session_over(session) ||
           session_left_s(session) < race_share * session->pace.budget_s;
}

/* What failed says nothing of other plans; what was given up was slower. */
static void note_slower(struct onward *onward, size_t centre, size_t i)
{
    const double slower = 1.1;
    const struct session *session = onward->guided->session;
    const struct measurement *tried = &session->result->measurement[i];
    double centre_s = session->result->measurement[centre].time_s.value;
    if (tried->outcome != RUN_OUTCOME_STOPPED &&
        (!session_timed(session, i) || tried->time_s.value < slower * centre_s))
        return;
    struct plan change = change_of(choice_of(onward, centre), choice_of(onward, i));
    GROW(onward->slower, onward->slower_nr + 1, onward->slower_alloc);
    onward->slower[onward->slower_nr++] = change;
}

static int try_one(struct onward *onward, const struct choice *choice, size_t centre,
                   struct error *err)
{
    struct session *session = onward->guided->session;
    double limit_s = hopeless * session->result->measurement[centre].time_s.value;
    size_t index = 0;
    char *plan = choice_text(choice);
    session_say(session, "trying %s", *plan ? plan : "the constants as written");
    free(plan);
    if (session_measure(session, choice, false, MEASURE_QUICK, limit_s, &index, err))
        return -1;
    onward->tried++;
    guided_note_tried(onward->guided, choice_of(onward, centre), index);
    note_slower(onward, centre, index);
    return session_timed(session, index) ? race_newcomer(session, index, err) : 0;
}

/* Until the search moves on to one of them; what was built with it is tried first.
 * *tried: how many were. */
static int try_stage(struct onward *onward, const struct choices *list, size_t centre,
                     size_t *tried, struct error *err)
{
    struct session *session = onward->guided->session;
    struct choices all = *list;
    struct ahead_list ahead = {.data = &all, .at = choices_at, .nr = list->nr};
    for (size_t i = 0; i < list->nr && !is_over(onward); i++) {
        if (i >= ahead.ready && centre_of(onward) != centre)
            break;
        if (session_legal(session, &list->item[i], NULL))
            continue;
        if (session_prebuild(session, &ahead, i, err) ||
            try_one(onward, &list->item[i], centre, err))
            return -1;
        (*tried)++;
    }
    return 0;
}

/* The first of the stages that has anything to try. */
static int try_around(struct onward *onward, list_of_plans *const *stage, size_t nr,
                      size_t centre, bool *any, struct error *err)
{
    size_t tried = 0;
    int status = 0;
    for (size_t i = 0; i < nr && !tried && !status && !is_over(onward); i++) {
        struct choices list = {0};
        stage[i](onward, centre, &list);
        keep_new(onward, &list);
        status = try_stage(onward, &list, centre, &tried, err);
        choices_release(&list);
    }
    *any = tried > 0;
    return status;
}

/* ---- what is faster becomes the best ---- */

/* Likely to be worth it; the comparison says whether it is. */
static bool should_confirm(const struct onward *onward, size_t leader)
{
    const double likely = 1.03;
    struct guided *guided = onward->guided;
    struct quantity gain =
        evidence_ratio(&guided->session->evidence, guided->now, leader);
    return leader != guided->now && leader != onward->refused && gain.known &&
           gain.value >= likely;
}

static int confirm(struct onward *onward, size_t leader, struct error *err)
{
    struct guided *guided = onward->guided;
    size_t before = guided->now;
    if (guided_confirm(guided, NULL, leader, err))
        return -1;
    onward->refused = guided->now == before ? leader : 0;
    return 0;
}

static void say_over(struct onward *onward)
{
    size_t advised = onward->guided->session->result->advised_nr - 1;
    char *detail = xasprintf(" (the rules had no more to try after %zu variant%s, and "
                             "%zu were tried around the fastest)",
                             advised, advised == 1 ? "" : "s", onward->tried);
    guided_set_used_up(onward->guided, detail);
    free(detail);
}

/* On top of a summit: it is confirmed and the rules are asked, then for what they are in
 * doubt of; then whatever else there is. */
static int look_further(struct onward *onward, size_t centre, bool *any,
                        struct error *err)
{
    struct guided *guided = onward->guided;
    size_t before = guided->now;
    if (should_confirm(onward, centre)) {
        *any = true;
        if (confirm(onward, centre, err))
            return -1;
        return guided->now != before ? guided_ask_rules(guided, false, err) : 0;
    }
    size_t measured = guided->session->result->measurement_nr;
    if (guided_ask_rules(guided, true, err))
        return -1;
    *any = guided->session->result->measurement_nr > measured;
    return *any ? 0 : try_around(onward, further, ARRAY_SIZE(further), centre, any, err);
}

static int go_on(struct onward *onward, struct error *err)
{
    struct guided *guided = onward->guided;
    struct session *session = guided->session;
    bool any = true;
    while (any && !is_over(onward)) {
        char *nothing = session_no_headroom(session, guided->now);
        size_t centre = centre_of(onward);
        if (nothing) {
            session->result->left.nothing_stopped = true;
            guided_set_stop(guided, nothing);
            free(nothing);
            return 0;
        }
        if (try_around(onward, next_to, 1, centre, &any, err) ||
            (!any && look_further(onward, centre, &any, err)))
            return -1;
    }
    if (is_over(onward))
        say_over(onward);
    else
        guided_set_stop(guided, session->has_space
                                    ? "all plans of the space were tried"
                                    : "no plan is left that differs in a few steps from "
                                      "the fastest ones");
    return 0;
}

/* The likeliest to be the fastest; the kernel as written unless all that is known says
 * that it is slower. */
static int settle(struct onward *onward, struct error *err)
{
    struct guided *guided = onward->guided;
    struct session *session = guided->session;
    double end_s = session_now_s(session) +
                   fmax(session_left_s(session), session_closing_s(session, 2) / 2);
    struct quantity gain;
    size_t best = guided->now;
    if (race_remeasure(session, end_s, &best, &gain, err))
        return -1;
    if (best != guided->now) {
        guided_note_found(guided, guided->now, best, gain);
        guided_accept(guided, best);
    }
    return 0;
}

/* onward.c: when the rules have no more to try and there is time, it goes on around the
 * fastest plan; then it finds out which of all that was tried is the fastest. */
static int guided_go_on(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    struct onward onward = {.guided = guided,
                            .random = session->opts->seed ? session->opts->seed : 1};
    if (!is_over(&onward)) {
        session->result->advised_nr = session->result->measurement_nr;
        session_say(session, "the rules have no more to try: going on around the "
                             "fastest plan");
    }
    near_open(session, &onward.near);
    int status = is_over(&onward) ? 0 : go_on(&onward, err);
    if (!status)
        status = settle(&onward, err);
    near_close(&onward.near);
    free(onward.slower);
    return status;
}

/* ---- guided last ---- */

static int audit_one(struct guided *guided, size_t i, struct error *err)
{
    struct search_result *result = guided->session->result;
    size_t before = guided->now;
    char *name = xstrdup(result->advice[i].transformation);
    int status = result->advice[i].no_plan    ? 0
                 : !strcmp(name, "hugepages") ? guided_try_huge_pages(guided, err)
                                              : guided_try_plans(guided, name, err);
    if (!status)
        audit_note(guided->session, guided_advice(result, name), before, guided->now);
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

static bool may_go_on(const struct session *session)
{
    return !session->opts->advise_only && !session->result->left.nothing_stopped;
}

static int ask_and_go_on(struct guided *guided, struct error *err)
{
    session_ask_legality(guided->session);
    if (guided_ask_rules(guided, true, err))
        return -1;
    guided_note_pruned(guided);
    if ((guided->session->opts->audit && audit(guided, err)) ||
        (may_go_on(guided->session) && guided_go_on(guided, err)))
        return -1;
    return guided_ask_pages(guided, err);
}

/* The constants first, and once more under what was kept: other loops, other tiles. */
static int search_all(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    bool tunable = session->view.tunable_nr > 0 && !session->opts->advise_only;
    if (tunable)
        guided_note_tunables(guided);
    if (tunable && guided_try_tunables(guided, err))
        return -1;
    size_t before = guided->now;
    if (!session->result->measurement[0].has_occupancy && session_over(session))
        guided_set_used_up(guided, " before the kernel's traffic was known");
    else if (!session->result->measurement[0].has_occupancy)
        guided_set_stop(guided, "the traffic of the kernel is not known, so the rules "
                                "cannot be asked");
    else if (ask_and_go_on(guided, err))
        return -1;
    return tunable && guided->now != before ? guided_try_tunables(guided, err) : 0;
}

int guided_run(struct session *session, struct error *err)
{
    struct guided guided = {.session = session};
    int status = search_all(&guided, err);
    if (!status)
        guided_suggest(&guided);
    guided_withdraw(session->result);
    if (guided.no_more) /* by what the advice says in the end */
        guided_say_no_more(&guided);
    rule_verdicts_release(&guided.verdicts);
    strvec_release(&guided.tried);
    return status;
}
