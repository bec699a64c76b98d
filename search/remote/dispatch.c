#include "search/remote/dispatch.h"

#include <stdlib.h>

#include "core/base/array.h"

struct asked {
    size_t question, worker;
};

struct dispatch {
    struct dispatch_opts opts;
    struct worker {
        double heard_s;
        size_t depth;
        size_t load; /* questions that it has and did not answer */
        bool lost, gone;
    } * worker;
    size_t worker_nr, worker_alloc;
    struct question {
        enum dispatch_kind kind;
        enum dispatch_state state;
        size_t lost_with;
    } * question;
    size_t question_nr, question_alloc;
    /* In the order in which they are asked; what was lost comes first. */
    size_t *waiting[2];
    size_t waiting_nr[2], waiting_alloc[2], waiting_begin[2];
    struct asked *asked; /* unordered */
    size_t asked_nr, asked_alloc;
};

struct dispatch *dispatch_new(const struct dispatch_opts *opts)
{
    struct dispatch *dispatch = xcalloc(1, sizeof(*dispatch));
    dispatch->opts = *opts;
    if (!(dispatch->opts.silent_s > 0))
        dispatch->opts.silent_s = 90;
    if (!dispatch->opts.tries)
        dispatch->opts.tries = 3;
    return dispatch;
}

void dispatch_free(struct dispatch *dispatch)
{
    if (!dispatch)
        return;
    free(dispatch->worker);
    free(dispatch->question);
    free(dispatch->waiting[0]);
    free(dispatch->waiting[1]);
    free(dispatch->asked);
    free(dispatch);
}

/* ---- workers ---- */

size_t dispatch_join(struct dispatch *dispatch, size_t depth, double now_s)
{
    GROW(dispatch->worker, dispatch->worker_nr + 1, dispatch->worker_alloc);
    dispatch->worker[dispatch->worker_nr] =
        (struct worker){.heard_s = now_s, .depth = depth ? depth : 1};
    return dispatch->worker_nr++;
}

bool dispatch_works(const struct dispatch *dispatch, size_t worker)
{
    return !dispatch->worker[worker].lost && !dispatch->worker[worker].gone;
}

size_t dispatch_working(const struct dispatch *dispatch)
{
    size_t nr = 0;
    for (size_t i = 0; i < dispatch->worker_nr; i++)
        nr += dispatch_works(dispatch, i);
    return nr;
}

bool dispatch_home(const struct dispatch *dispatch, size_t *worker)
{
    for (*worker = 0; *worker < dispatch->worker_nr; (*worker)++)
        if (dispatch_works(dispatch, *worker))
            return true;
    return false;
}

/* Before all others: it has waited already. */
static void wait_again(struct dispatch *dispatch, size_t question)
{
    struct question *one = &dispatch->question[question];
    enum dispatch_kind kind = one->kind;
    if (one->state != DISPATCH_ASKED)
        return;
    one->state = DISPATCH_WAITING;
    if (++one->lost_with >= dispatch->opts.tries) {
        one->state = DISPATCH_GIVEN_UP;
        return;
    }
    if (dispatch->waiting_begin[kind]) {
        dispatch->waiting[kind][--dispatch->waiting_begin[kind]] = question;
        return;
    }
    GROW(dispatch->waiting[kind], dispatch->waiting_nr[kind] + 1,
         dispatch->waiting_alloc[kind]);
    for (size_t i = dispatch->waiting_nr[kind]++; i > 0; i--)
        dispatch->waiting[kind][i] = dispatch->waiting[kind][i - 1];
    dispatch->waiting[kind][0] = question;
}

static bool others_have(const struct dispatch *dispatch, size_t worker, size_t question)
{
    for (size_t i = 0; i < dispatch->asked_nr; i++)
        if (dispatch->asked[i].question == question &&
            dispatch->asked[i].worker != worker &&
            dispatch_works(dispatch, dispatch->asked[i].worker))
            return true;
    return false;
}

/* Others are asked what it has; one that is only silent keeps it, and may still answer.
 */
static void pass_on(struct dispatch *dispatch, size_t worker, bool forget)
{
    size_t kept = 0;
    for (size_t i = 0; i < dispatch->asked_nr; i++) {
        struct asked asked = dispatch->asked[i];
        if (asked.worker == worker && !others_have(dispatch, worker, asked.question))
            wait_again(dispatch, asked.question);
    }
    for (size_t i = 0; i < dispatch->asked_nr; i++)
        if (dispatch->asked[i].worker != worker || !forget)
            dispatch->asked[kept++] = dispatch->asked[i];
    dispatch->asked_nr = kept;
}

void dispatch_heard(struct dispatch *dispatch, size_t worker, double now_s)
{
    dispatch->worker[worker].heard_s = now_s;
    dispatch->worker[worker].lost = false;
}

void dispatch_leave(struct dispatch *dispatch, size_t worker)
{
    struct worker *one = &dispatch->worker[worker];
    if (one->gone)
        return;
    one->gone = true;
    one->load = 0;
    pass_on(dispatch, worker, true);
}

void dispatch_tick(struct dispatch *dispatch, double now_s)
{
    for (size_t i = 0; i < dispatch->worker_nr; i++) {
        struct worker *one = &dispatch->worker[i];
        if (!dispatch_works(dispatch, i) ||
            now_s - one->heard_s < dispatch->opts.silent_s)
            continue;
        one->lost = true;
        pass_on(dispatch, i, false);
    }
}

/* ---- questions ---- */

size_t dispatch_put(struct dispatch *dispatch, enum dispatch_kind kind)
{
    size_t question = dispatch->question_nr++;
    GROW(dispatch->question, question + 1, dispatch->question_alloc);
    dispatch->question[question] = (struct question){.kind = kind};
    GROW(dispatch->waiting[kind], dispatch->waiting_nr[kind] + 1,
         dispatch->waiting_alloc[kind]);
    dispatch->waiting[kind][dispatch->waiting_nr[kind]++] = question;
    return question;
}

void dispatch_drop(struct dispatch *dispatch, size_t question)
{
    if (dispatch->question[question].state != DISPATCH_ANSWERED)
        dispatch->question[question].state = DISPATCH_GIVEN_UP;
}

enum dispatch_state dispatch_state(const struct dispatch *dispatch, size_t question)
{
    return dispatch->question[question].state;
}

static bool has_room(const struct dispatch *dispatch, size_t worker)
{
    return dispatch_works(dispatch, worker) &&
           dispatch->worker[worker].load < dispatch->worker[worker].depth;
}

static bool least_loaded(const struct dispatch *dispatch, size_t *worker)
{
    bool found = false;
    for (size_t i = 0; i < dispatch->worker_nr; i++) {
        if (!has_room(dispatch, i) ||
            (found && dispatch->worker[i].load >= dispatch->worker[*worker].load))
            continue;
        *worker = i;
        found = true;
        if (!dispatch->worker[i].load)
            break;
    }
    return found;
}

/* The first that is still wanted. */
static bool first_waiting(struct dispatch *dispatch, enum dispatch_kind kind,
                          size_t *question)
{
    while (dispatch->waiting_begin[kind] < dispatch->waiting_nr[kind]) {
        *question = dispatch->waiting[kind][dispatch->waiting_begin[kind]];
        if (dispatch->question[*question].state == DISPATCH_WAITING)
            return true;
        dispatch->waiting_begin[kind]++;
    }
    return false;
}

static void assign(struct dispatch *dispatch, size_t worker, size_t question)
{
    struct question *one = &dispatch->question[question];
    one->state = DISPATCH_ASKED;
    dispatch->waiting_begin[one->kind]++;
    dispatch->worker[worker].load++;
    GROW(dispatch->asked, dispatch->asked_nr + 1, dispatch->asked_alloc);
    dispatch->asked[dispatch->asked_nr++] = (struct asked){question, worker};
}

/* What the search waits for goes before what it may want later, however much its worker
 * has to do. */
bool dispatch_next(struct dispatch *dispatch, size_t *worker, size_t *question)
{
    bool home = first_waiting(dispatch, DISPATCH_HOME, question) &&
                dispatch_home(dispatch, worker);
    if (!home && (!first_waiting(dispatch, DISPATCH_ANY, question) ||
                  !least_loaded(dispatch, worker)))
        return false;
    assign(dispatch, *worker, *question);
    return true;
}

static bool forget_asked(struct dispatch *dispatch, size_t worker, size_t question)
{
    for (size_t i = 0; i < dispatch->asked_nr; i++) {
        if (dispatch->asked[i].worker != worker ||
            dispatch->asked[i].question != question)
            continue;
        dispatch->asked[i] = dispatch->asked[--dispatch->asked_nr];
        return true;
    }
    return false;
}

bool dispatch_take(struct dispatch *dispatch, size_t worker, size_t question,
                   double now_s)
{
    if (worker >= dispatch->worker_nr || question >= dispatch->question_nr)
        return false;
    struct worker *one = &dispatch->worker[worker];
    struct question *about = &dispatch->question[question];
    if (!one->gone)
        dispatch_heard(dispatch, worker, now_s);
    if (forget_asked(dispatch, worker, question) && one->load)
        one->load--;
    if (about->state == DISPATCH_ANSWERED || about->state == DISPATCH_GIVEN_UP)
        return false;
    about->state = DISPATCH_ANSWERED;
    return true;
}
