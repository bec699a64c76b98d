#include "search/strategy/tunables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"

/* ---- combinations ---- */

static void add_row(struct combinations *out, const long long *value)
{
    GROW(out->value, (out->nr + 1) * out->width, out->alloc);
    memcpy(out->value + out->nr++ * out->width, value, out->width * sizeof(*value));
}

static void written_values(const struct kernel_view *view, long long *value)
{
    for (size_t i = 0; i < view->tunable_nr; i++)
        value[i] = view->tunable[i].now;
}

static bool is_as_written(const struct kernel_view *view, const long long *value)
{
    for (size_t i = 0; i < view->tunable_nr; i++)
        if (value[i] != view->tunable[i].now)
            return false;
    return true;
}

/* The next one in the order of an odometer; false = all were there. */
static bool advance(const struct kernel_view *view, size_t *index)
{
    for (size_t i = view->tunable_nr; i-- > 0;) {
        if (++index[i] < view->tunable[i].value_nr)
            return true;
        index[i] = 0;
    }
    return false;
}

/* Constraints may leave few of very many: that many are looked at. */
static const size_t LOOKED_AT_MAX = 20 * (size_t)TUNABLES_COMBINATIONS_MAX;

static void find_rows(const struct kernel_view *view, struct combinations *out)
{
    long long value[CHOICE_TUNABLES_MAX] = {0};
    size_t index[CHOICE_TUNABLES_MAX] = {0}, looked_at = 0;
    do {
        if (looked_at++ == LOOKED_AT_MAX || out->nr == TUNABLES_COMBINATIONS_MAX)
            return;
        for (size_t i = 0; i < view->tunable_nr; i++)
            value[i] = view->tunable[i].value[index[i]];
        if (!is_as_written(view, value) && !kernel_tunables_allowed(view, value, NULL))
            add_row(out, value);
    } while (advance(view, index));
    out->all = true;
}

void combinations_find(const struct kernel_view *view, struct combinations *out)
{
    long long value[CHOICE_TUNABLES_MAX] = {0};
    *out = (struct combinations){.width = view->tunable_nr ? view->tunable_nr : 1};
    written_values(view, value);
    add_row(out, value);
    if (view->tunable_nr)
        find_rows(view, out);
    else
        out->all = true;
}

void combinations_release(struct combinations *combinations)
{
    free(combinations->value);
    *combinations = (struct combinations){0};
}

void choice_take(const struct kernel_view *view, const long long *value,
                 struct choice *choice)
{
    struct step_arg arg[CHOICE_TUNABLES_MAX];
    struct plan_step set = {.kind = STEP_SET, .arg = arg};
    for (size_t i = 0; i < view->tunable_nr; i++)
        if (value[i] != view->tunable[i].now)
            arg[set.arg_nr++] = (struct step_arg){view->tunable[i].name, value[i], true};
    choice_drop(choice, STEP_SET);
    if (set.arg_nr)
        choice_add(choice, plan_step_get(&set));
}

void choice_values(const struct kernel_view *view, const struct choice *choice,
                   long long *value)
{
    const struct plan_step *set = choice_step(choice, STEP_SET);
    written_values(view, value);
    for (size_t i = 0; set && i < view->tunable_nr; i++) {
        const struct step_arg *arg = plan_step_arg(set, view->tunable[i].name);
        if (arg)
            value[i] = arg->value;
    }
}

/* ---- climbing ---- */

struct climb {
    struct session *session;
    size_t *best;
    struct error *err;
};

/* Measures the present best with other values; 0 also when they are not allowed. */
static int try_values(const struct climb *climb, const long long *value)
{
    struct session *session = climb->session;
    struct choice choice = session->choice[*climb->best];
    size_t index = 0;
    choice_take(&session->view, value, &choice);
    if (session_over(session) ||
        (!is_as_written(&session->view, value) &&
         kernel_tunables_allowed(&session->view, value, NULL)) ||
        session_legal(session, &choice, NULL))
        return 0;
    char *plan = choice_text(&choice);
    session_say(session, "trying %s", *plan ? plan : "the constants as written");
    free(plan);
    double now = session->result->measurement[*climb->best].time_s.value;
    if (session_measure(session, &choice, false, MEASURE_QUICK, 1.5 * now, &index,
                        climb->err))
        return -1;
    if (session_timed(session, index) &&
        session->result->measurement[index].time_s.value < now)
        *climb->best = index;
    return 0;
}

/* The edge of a square tile of every array that together fill half of the level: the
 * other half is for what else is there, and for sets that fill unevenly. */
static double tile_edge(const struct session *session, int level)
{
    double bytes = machine_share_guess_bytes(session->subject->machine, level);
    double element = 0;
    for (size_t i = 0; i < session->view.array_nr; i++)
        element += (double)session->view.array[i].element_bytes;
    return element > 0 ? sqrt(bytes / 2 / element) : 0;
}

/* By ratio; a factor for unrolling stays what it is: its values end far below. */
static long long nearest(const struct kernel_tunable *tunable, double edge, long long now)
{
    long long best = now;
    double distance = INFINITY;
    for (size_t i = 0; i < tunable->value_nr; i++) {
        double value = (double)tunable->value[i];
        double away = value > 0 ? fabs(log(value / edge)) : INFINITY;
        if (away < distance) {
            distance = away;
            best = tunable->value[i];
        }
    }
    return distance <= log(2) * 1.01 ? best : now;
}

/* All tiles alike, for one cache level after the other. */
static int try_shares(const struct climb *climb)
{
    const struct session *session = climb->session;
    long long value[CHOICE_TUNABLES_MAX];
    for (int level = 0; level < session->subject->machine->level_nr; level++) {
        double edge = tile_edge(session, level);
        if (edge < 1)
            continue;
        choice_values(&session->view, &session->choice[*climb->best], value);
        for (size_t i = 0; i < session->view.tunable_nr; i++)
            value[i] = nearest(&session->view.tunable[i], edge, value[i]);
        if (try_values(climb, value))
            return -1;
    }
    return 0;
}

/* The next larger (or smaller) value of the list; false = there is none. */
static bool next_value(const struct kernel_tunable *tunable, bool larger, long long from,
                       long long *to)
{
    bool found = false;
    for (size_t i = 0; i < tunable->value_nr; i++) {
        long long value = tunable->value[i];
        bool beyond = larger ? value > from : value < from;
        if (beyond && (!found || (larger ? value < *to : value > *to))) {
            *to = value;
            found = true;
        }
    }
    return found;
}

static int walk(const struct climb *climb, size_t tunable, bool larger)
{
    const struct session *session = climb->session;
    for (;;) {
        long long value[CHOICE_TUNABLES_MAX];
        size_t before = *climb->best;
        choice_values(&session->view, &session->choice[before], value);
        if (!next_value(&session->view.tunable[tunable], larger, value[tunable],
                        &value[tunable]))
            return 0;
        if (try_values(climb, value))
            return -1;
        if (*climb->best == before)
            return 0;
    }
}

int tunables_climb(struct session *session, size_t *best, struct error *err)
{
    enum { ROUNDS = 3 };
    struct climb climb = {session, best, err};
    if (try_shares(&climb))
        return -1;
    for (int round = 0; round < ROUNDS; round++) {
        size_t before = *best;
        for (size_t i = 0; i < session->view.tunable_nr; i++)
            if (walk(&climb, i, true) || walk(&climb, i, false))
                return -1;
        if (*best == before)
            break;
    }
    return 0;
}
