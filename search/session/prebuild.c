#include "search/session/prebuild.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct choice choices_at(void *data, size_t i)
{
    return ((const struct choices *)data)->item[i];
}

/* What there will be no time to measure need not be built. */
static size_t at_most_in_time(const struct session *session, size_t max)
{
    double tries = session_left_s(session) / fmax(session->pace.try_s, 1e-9);
    return tries >= (double)max ? max : tries > 1 ? (size_t)tries : 1;
}

struct window {
    size_t min, max, ahead;
};

static struct window window_of(const struct search_runner *runner)
{
    struct window window = {runner->prepare_min, runner->prepare_max, 0};
    if (runner->window)
        runner->window(runner->data, &window.max, &window.ahead);
    return window;
}

/* Prepared, and not measured yet, as far as nothing else was measured meanwhile. */
static size_t still_ahead(const struct session *session, const struct ahead_list *list)
{
    size_t measured = session->result->measurement_nr - list->measured;
    return list->asked > measured ? list->asked - measured : 0;
}

/* Twice as many as before; all at once where they are measured ahead. */
static size_t max_ahead(const struct session *session, const struct ahead_list *list)
{
    const struct search_runner *runner = session->runner;
    struct window window = window_of(runner);
    size_t wanted = runner->window ? window.max
                    : list->max    ? 2 * list->max
                                   : window.min,
           max = wanted < window.max ? wanted : window.max,
           variants = session->opts->budget_variants,
           measured = session->result->measurement_nr + still_ahead(session, list),
           left = variants > measured ? variants - measured : 0;
    max = variants && left < max ? left : max;
    return at_most_in_time(session, max);
}

/* The next of the list that will be measured; a fallback only behind one that is not
 * legal. Returns how many: fewer than `max` when no more are to come. */
static size_t collect(struct session *session, struct ahead_list *list, size_t max,
                      struct strvec *plans)
{
    bool legal = false;
    while (list->ready < list->nr && plans->nr < max && !session_over(session)) {
        struct choice choice = list->at(list->data, list->ready++);
        if (choice.fallback && legal)
            continue;
        legal = (list->unasked && session->runner->asks_legality) ||
                session_remedied(session, &choice);
        char *plan = choice_text(&choice);
        if (legal &&
            session_find_alike(session, &choice) == session->result->measurement_nr)
            strvec_push(plans, plan);
        free(plan);
    }
    return plans->nr;
}

static int prepare(struct session *session, const struct strvec *plans, double *seconds,
                   struct error *err)
{
    const struct search_runner *runner = session->runner;
    struct candidate *candidate = xcalloc(plans->nr + 1, sizeof(*candidate));
    double began_s = clock_s();
    for (size_t i = 0; i < plans->nr; i++)
        candidate[i].plan = plans->v[i];
    if (plans->nr > 1 && !runner->window)
        session_say(session, "building %zu variants", plans->nr);
    session_bound(session, true);
    int status = plans->nr ? runner->prepare(runner->data, candidate, plans->nr, err) : 0;
    spawn_end_at(0);
    *seconds += clock_s() - began_s;
    free(candidate);
    return status;
}

/* What others measure is handed to them by the few: to ask whether many are legal takes
 * longer than what they have to do. */
int session_prebuild(struct session *session, struct ahead_list *list, size_t i,
                     struct error *err)
{
    const struct search_runner *runner = session->runner;
    size_t nr = 0, wanted, got;
    double seconds = 0;
    int status;
    if (!runner->prepare || i + window_of(runner).ahead < list->ready)
        return 0;
    if (list->ready <= i) {
        list->ready = i;
        list->asked = 0;
        list->measured = session->result->measurement_nr;
    }
    list->max = max_ahead(session, list);
    do {
        struct strvec plans = {0};
        wanted = list->max - nr;
        if (runner->window && runner->prepare_min < wanted)
            wanted = runner->prepare_min;
        got = collect(session, list, wanted, &plans);
        status = prepare(session, &plans, &seconds, err);
        nr += got;
        strvec_release(&plans);
    } while (!status && got == wanted && nr < list->max);
    list->asked += nr;
    session->prebuild_each_s = nr ? seconds / (double)nr : 0;
    session->ahead_nr = nr;
    return status;
}
