#include "search/finish/ties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/finish/remeasure.h"
#include "search/session/prebuild.h"

/* ---- how large a change is ---- */

struct change_size change_size_of(const char *plan)
{
    struct change_size size = {.length = strlen(plan)};
    int depth = 0;
    for (const char *c = plan; *c; c++) {
        size.steps += depth == 0 && *c != ' ' && (c == plan || c[-1] == ' ');
        size.parameters += *c == '(' || (depth > 0 && (*c == ',' || *c == ':'));
        depth += *c == '(';
        depth -= *c == ')';
    }
    return size;
}

static int order_of(size_t a, size_t b)
{
    return a < b ? -1 : a > b;
}

int change_size_order(struct change_size a, struct change_size b)
{
    int steps = order_of(a.steps, b.steps),
        parameters = order_of(a.parameters, b.parameters);
    return steps ? steps : parameters ? parameters : order_of(a.length, b.length);
}

static const char *plan_of(const struct session *session, size_t i)
{
    return session->result->measurement[i].plan;
}

static bool is_smaller(const struct session *session, size_t a, size_t b)
{
    return change_size_order(change_size_of(plan_of(session, a)),
                             change_size_of(plan_of(session, b))) < 0;
}

/* ---- one step less ---- */

static void add_shortened(const struct choice *shorter, struct choices *out)
{
    if (shorter->plan.step_nr)
        choices_add(out, shorter);
}

/* Steps of a kind that repeats one by one, those of others together. */
static void shorten_kind(const struct choice *choice, enum step_kind kind,
                         struct choices *out)
{
    const struct plan_step *step[PLAN_STEPS_MAX];
    size_t nr = choice_steps(choice, kind, step);
    for (size_t i = nr; i-- > 0;) {
        const struct plan_step *kept[PLAN_STEPS_MAX];
        struct choice shorter = *choice;
        memcpy(kept, step, i * sizeof(*kept));
        memcpy(kept + i, step + i + 1, (nr - i - 1) * sizeof(*kept));
        choice_put_steps(&shorter, kind, kept, nr - 1);
        add_shortened(&shorter, out);
    }
}

static void shorten_shape(const struct choice *choice, struct choices *out)
{
    for (size_t i = choice->shape_nr; i-- > 0;) {
        struct choice shorter = *choice;
        choice_put_in_shape(&shorter, i, NULL);
        add_shortened(&shorter, out);
    }
}

void ties_shortened(const struct choice *choice, struct choices *out)
{
    enum step_kind kind[STEP_KIND_NR];
    size_t nr = step_kinds_placed(kind);
    bool shape = false;
    for (size_t i = nr; i-- > 0;) {
        if (!shape && transformation_of(kind[i])->search.place < PLACE_SHAPE) {
            shorten_shape(choice, out);
            shape = true;
        }
        shorten_kind(choice, kind[i], out);
    }
}

/* ---- which may be as fast ---- */

static bool is_plain(const struct measurement *measurement)
{
    const struct environment plain = {0};
    return environments_equal(&measurement->environment, &plain);
}

static bool may_tie(const struct session *session, size_t i, size_t winner)
{
    return i != 0 && i != winner && session_timed(session, i) &&
           is_plain(&session->result->measurement[i]) &&
           remeasure_optimistic_s(session, i) <= remeasure_pessimistic_s(session, winner);
}

/* The fastest of those that may tie and are not listed. `smaller`: changes than the
 * winner's only; measurement_nr when there is none. */
static size_t next_candidate(const struct session *session, size_t winner, bool smaller,
                             const size_t *listed, size_t listed_nr)
{
    const struct search_result *result = session->result;
    size_t best = result->measurement_nr;
    for (size_t i = 1; i < result->measurement_nr; i++) {
        bool known =
            !may_tie(session, i, winner) || (smaller && !is_smaller(session, i, winner));
        for (size_t k = 0; k < listed_nr; k++)
            known = known || listed[k] == i;
        if (!known && (best == result->measurement_nr ||
                       result->measurement[i].time_s.value <
                           result->measurement[best].time_s.value))
            best = i;
    }
    return best;
}

/*
 * Places in result->measurement of what may be as fast as `winner`: timed, in the plain
 * environment, and its interval, widened by what differs between launches, meets the
 * winner's. Up to TIES_MAX - 1 of those that change less than the winner, fastest first,
 * then the fastest of the others. The kernel as written (0) is none. Returns how many.
 */
static size_t ties_candidates(const struct session *session, size_t winner,
                              size_t candidate[TIES_MAX])
{
    size_t nr = 0;
    for (bool smaller = true; nr < TIES_MAX;) {
        size_t max = smaller ? TIES_MAX - 1 : TIES_MAX;
        size_t next = nr < max ? next_candidate(session, winner, smaller, candidate, nr)
                               : session->result->measurement_nr;
        if (next < session->result->measurement_nr)
            candidate[nr++] = next;
        else if (smaller)
            smaller = false;
        else
            break;
    }
    return nr;
}

/* ---- measuring ---- */

struct ties {
    struct session *session;
    double end_s;   /* of session_now_s: no further comparison begins */
    double seconds; /* of one comparison */
    size_t winner;
    size_t candidate[TIES_MAX], nr;
    struct tie tie[TIES_MAX]; /* those compared with the winner */
    size_t tie_nr;
};

static bool is_over(const struct ties *ties)
{
    double takes_s = pace_comparison_s(&ties->session->pace, ties->seconds);
    return spawn_interrupted() || session_now_s(ties->session) + takes_s > ties->end_s;
}

static bool may_measure(const struct ties *ties, double until_s)
{
    const struct session *session = ties->session;
    size_t max = session->opts->budget_variants;
    return !spawn_interrupted() &&
           session_now_s(session) + session->pace.try_s <= until_s &&
           (!max || session->result->measurement_nr < max);
}

/* Half of the time; what was measured already costs nothing. */
static int measure_shortened(struct ties *ties, struct error *err)
{
    struct session *session = ties->session;
    const struct choice winner = session->choice[ties->winner];
    double limit_s = session->result->measurement[ties->winner].time_s.value * 1.5,
           until_s = (session_now_s(session) + ties->end_s) / 2;
    struct choices list = {0};
    int status = 0;
    ties_shortened(&winner, &list);
    struct ahead_list ahead = {.data = &list, .at = choices_at, .nr = list.nr};
    for (size_t i = 0; !status && i < list.nr && may_measure(ties, until_s); i++) {
        size_t index = 0;
        if (session_prebuild(session, &ahead, i, err)) {
            status = -1;
            break;
        }
        char *plan = choice_text(&list.item[i]);
        bool legal = session->subject->check(session->subject->data, plan,
                                             &(struct error){0}) == 0;
        if (legal)
            session_say(session, "one step less: %s", plan);
        if (legal)
            status = session_measure(session, &list.item[i], false, MEASURE_QUICK,
                                     limit_s, &index, err);
        free(plan);
    }
    choices_release(&list);
    return status;
}

static bool is_slower(struct quantity ratio)
{
    return ratio.known && ratio.high < 1 && ratio.value <= 1 / SESSION_MIN_GAIN;
}

/* A twentieth is worth having: what may be slower by that, or is likely to be slower by
 * more than drift, takes nobody's place. */
static bool may_replace(const struct tie *tie)
{
    const double worth_having = 1.05;
    return tie->tied && tie->ratio.low * worth_having >= 1 &&
           tie->ratio.value * SESSION_MIN_GAIN >= 1;
}

/* Each with the winner; *faster = the place of one that is, beyond doubt. */
static int compare_all(struct ties *ties, size_t *faster, struct error *err)
{
    double max = 0;
    *faster = ties->winner;
    ties->tie_nr = 0;
    for (size_t i = 0; i < ties->nr && !is_over(ties); i++) {
        struct tie tie = {.index = ties->candidate[i]};
        if (tie.index == ties->winner)
            continue;
        session_say(ties->session, "can they be told apart: %s and the winner",
                    plan_of(ties->session, tie.index));
        if (session_look(ties->session, ties->winner, tie.index, ties->seconds,
                         &tie.ratio, err))
            return -1;
        if (tie.ratio.known && !tie.ratio.doubted)
            tie.ratio = evidence_ratio(&ties->session->evidence, ties->winner, tie.index);
        tie.tied =
            tie.ratio.known && !session_is_gain(tie.ratio) && !is_slower(tie.ratio);
        if (session_is_gain(tie.ratio) && tie.ratio.value > max) {
            max = tie.ratio.value;
            *faster = tie.index;
        }
        if (tie.ratio.known)
            ties->tie[ties->tie_nr++] = tie;
    }
    return 0;
}

static int compare_rounds(struct ties *ties, struct error *err)
{
    for (int round = 0; round < 2; round++) {
        size_t faster = ties->winner;
        bool right = false;
        if (compare_all(ties, &faster, err))
            return -1;
        if (faster == ties->winner || round == 1 || spawn_interrupted())
            return 0;
        if (session_explain(ties->session, faster, &right, err))
            return -1;
        if (!right)
            return 0;
        ties->candidate[ties->nr < TIES_MAX ? ties->nr++ : TIES_MAX - 1] = ties->winner;
        ties->winner = faster;
        ties->tie_nr = 0; /* they were compared with another one */
    }
    return 0;
}

static struct tie *smallest(struct ties *ties)
{
    struct tie *best = NULL;
    for (size_t i = 0; i < ties->tie_nr; i++)
        if (may_replace(&ties->tie[i]) && is_smaller(ties->session, ties->tie[i].index,
                                                     best ? best->index : ties->winner))
            best = &ties->tie[i];
    return best;
}

static int choose(struct ties *ties, size_t *chosen, struct error *err)
{
    struct tie *best;
    *chosen = ties->winner;
    while (!spawn_interrupted() && (best = smallest(ties))) {
        bool right = false;
        if (session_explain(ties->session, best->index, &right, err))
            return -1;
        if (right) {
            *chosen = best->index;
            return 0;
        }
        best->tied = false;
    }
    return 0;
}

static void take(const struct ties *ties, size_t chosen, struct search_result *result)
{
    result->best = chosen;
    result->tie_winner = ties->winner;
    result->tie = xcalloc(ties->tie_nr + 1, sizeof(*result->tie));
    result->tie_nr = ties->tie_nr;
    for (size_t i = 0; i < ties->tie_nr; i++)
        result->tie[i] = ties->tie[i];
}

/* A tenth of the budget, or what is left before the closing ones must begin: the smaller
 * change would have to be checked at full size, too. */
static double settling_s(const struct session *session)
{
    const double share = 0.1;
    const struct pace *pace = &session->pace;
    double left_s = session_end_s(session) - pace_closing_s(pace) +
                    pace_comparison_s(pace, PACE_MIN_S);
    return fmin(share * pace->budget_s, left_s);
}

int ties_remeasure(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    double settling = settling_s(session);
    struct ties ties = {.session = session,
                        .end_s = session_now_s(session) + settling,
                        .seconds = fmax(PACE_MIN_S, settling / 4),
                        .winner = result->best};
    size_t chosen = result->best;
    if (result->best == 0 || spawn_interrupted())
        return 0;
    if (settling < pace_comparison_s(&session->pace, PACE_MIN_S)) {
        strvec_push(&result->left_out, "whether something simpler is as fast");
        return 0;
    }
    if (measure_shortened(&ties, err))
        return -1;
    ties.nr = ties_candidates(session, ties.winner, ties.candidate);
    if (compare_rounds(&ties, err) || choose(&ties, &chosen, err))
        return -1;
    take(&ties, chosen, result);
    return 0;
}
