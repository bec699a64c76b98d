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

/* Twice as many as before; all at once where they are measured ahead. */
static size_t max_ahead(const struct session *session, size_t before)
{
    const struct search_runner *runner = session->runner;
    struct window window = window_of(runner);
    size_t wanted = runner->window ? window.max
                    : before       ? 2 * before
                                   : window.min,
           max = wanted < window.max ? wanted : window.max,
           variants = session->opts->budget_variants,
           measured = session->result->measurement_nr,
           left = variants > measured ? variants - measured : 0;
    max = variants && left < max ? left : max;
    return at_most_in_time(session, max);
}

/* The next of the list that will be measured; a fallback only behind one that is not
 * legal. Returns how many. */
static size_t collect(struct session *session, struct ahead_list *list,
                      struct strvec *plans)
{
    bool legal = false;
    list->max = max_ahead(session, list->max);
    while (list->ready < list->nr && plans->nr < list->max && !session_over(session)) {
        struct choice choice = list->at(list->data, list->ready++);
        if (choice.fallback && legal)
            continue;
        legal = session_remedied(session, &choice);
        char *plan = choice_text(&choice);
        if (legal &&
            session_find_alike(session, &choice) == session->result->measurement_nr)
            strvec_push(plans, plan);
        free(plan);
    }
    return plans->nr;
}

int session_prebuild(struct session *session, struct ahead_list *list, size_t i,
                     struct error *err)
{
    const struct search_runner *runner = session->runner;
    struct strvec plans = {0};
    int status = 0;
    if (!runner->prepare || i + window_of(runner).ahead < list->ready)
        return 0;
    list->ready = list->ready > i ? list->ready : i;
    size_t nr = collect(session, list, &plans);
    struct candidate *candidate = xcalloc(nr + 1, sizeof(*candidate));
    for (size_t k = 0; k < nr; k++)
        candidate[k].plan = plans.v[k];
    if (nr > 1)
        session_say(session, "building %zu variants", nr);
    double began_s = clock_s();
    session_bound(session, true);
    if (nr)
        status = runner->prepare(runner->data, candidate, nr, err);
    spawn_end_at(0);
    session->prebuild_each_s = nr ? (clock_s() - began_s) / (double)nr : 0;
    session->ahead_nr = nr;
    free(candidate);
    strvec_release(&plans);
    return status;
}
