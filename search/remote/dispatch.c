#include "search/remote/dispatch.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/array.h"

struct held {
    size_t question;
    bool blamed; /* it was in hand when the worker was lost */
};

struct dispatch {
    struct dispatch_opts opts;
    double gap_s;          /* the longest one between two signs of a worker's life */
    size_t heard_nr;       /* signs of all of them: they come the same way */
    double tick_s, away_s; /* the last tick; when somebody listened again */
    struct worker {
        double heard_s;
        size_t depth;
        struct held *held; /* what it has and did not answer, unordered */
        size_t held_nr, held_alloc;
        bool lost, gone;
    } * worker;
    size_t worker_nr, worker_alloc;
    struct question {
        enum dispatch_kind kind;
        enum dispatch_state state;
        size_t lost_with;
        size_t holders; /* workers that have it, and work */
        bool queued;    /* stands in `waiting`, wanted or not */
    } * question;
    size_t question_nr, question_alloc;
    /* In the order in which they are asked; what was lost comes first. */
    struct waiting {
        size_t *question;
        size_t begin, nr, alloc;
    } waiting[2];
};

static const double listens_s = 5, gaps = 5;
/* Fewer signs of life say nothing of how long the next one may take. */
enum { heard_min = 5 };

struct dispatch *dispatch_new(const struct dispatch_opts *opts)
{
    struct dispatch *dispatch = xcalloc(1, sizeof(*dispatch));
    dispatch->opts = *opts;
    if (!(dispatch->opts.silent_s > 0))
        dispatch->opts.silent_s = DISPATCH_SILENT_S;
    if (!(dispatch->opts.least_s > 0))
        dispatch->opts.least_s = dispatch->opts.silent_s;
    if (!dispatch->opts.tries)
        dispatch->opts.tries = 3;
    return dispatch;
}

void dispatch_free(struct dispatch *dispatch)
{
    if (!dispatch)
        return;
    for (size_t i = 0; i < dispatch->worker_nr; i++)
        free(dispatch->worker[i].held);
    free(dispatch->worker);
    free(dispatch->question);
    free(dispatch->waiting[0].question);
    free(dispatch->waiting[1].question);
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
    struct waiting *waiting = &dispatch->waiting[one->kind];
    one->state = DISPATCH_WAITING;
    if (one->queued)
        return;
    waiting->question[--waiting->begin] = question; /* it left a place there */
    one->queued = true;
}

/* The first of this kind that the worker has: SIZE_MAX = none. */
static size_t first_held(const struct dispatch *dispatch, const struct worker *worker,
                         enum dispatch_kind kind)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < worker->held_nr; i++) {
        size_t question = worker->held[i].question;
        if (dispatch->question[question].kind == kind && question < first)
            first = question;
    }
    return first;
}

static int by_question(const void *a, const void *b)
{
    const struct held *one = a, *other = b;
    return (one->question > other->question) - (one->question < other->question);
}

/* The worker does not work any more. Others are asked what it has. */
static void pass_on(struct dispatch *dispatch, struct worker *worker)
{
    size_t in_hand[2] = {first_held(dispatch, worker, DISPATCH_HOME),
                         first_held(dispatch, worker, DISPATCH_ANY)};
    if (worker->held_nr)
        qsort(worker->held, worker->held_nr, sizeof(*worker->held), by_question);
    for (size_t i = worker->held_nr; i-- > 0;) {
        struct held *held = &worker->held[i];
        struct question *question = &dispatch->question[held->question];
        question->holders--;
        held->blamed = held->question == in_hand[question->kind];
        question->lost_with += held->blamed;
        if (question->state != DISPATCH_ASKED || question->holders)
            continue;
        if (question->lost_with >= dispatch->opts.tries)
            question->state = DISPATCH_GIVEN_UP;
        else
            wait_again(dispatch, held->question);
    }
}

/* What it still has need not be asked of others. */
static void take_back(struct dispatch *dispatch, struct worker *worker)
{
    for (size_t i = 0; i < worker->held_nr; i++) {
        struct held *held = &worker->held[i];
        struct question *question = &dispatch->question[held->question];
        question->holders++;
        question->lost_with -= held->blamed;
        held->blamed = false;
        if (question->state == DISPATCH_WAITING)
            question->state = DISPATCH_ASKED;
    }
}

void dispatch_heard(struct dispatch *dispatch, size_t worker, double now_s)
{
    struct worker *one = &dispatch->worker[worker];
    if (!one->lost && one->heard_s >= dispatch->away_s &&
        now_s - dispatch->tick_s < listens_s)
        dispatch->gap_s = fmax(dispatch->gap_s, now_s - one->heard_s);
    one->heard_s = now_s;
    dispatch->heard_nr++;
    if (one->lost && !one->gone)
        take_back(dispatch, one);
    one->lost = false;
}

void dispatch_leave(struct dispatch *dispatch, size_t worker)
{
    struct worker *one = &dispatch->worker[worker];
    if (dispatch_works(dispatch, worker))
        pass_on(dispatch, one);
    one->gone = true;
    one->held_nr = 0;
}

static double patience(const struct dispatch *dispatch)
{
    double most_s = dispatch->opts.silent_s;
    return dispatch->heard_nr < heard_min
               ? most_s
               : fmin(most_s, fmax(gaps * dispatch->gap_s, dispatch->opts.least_s));
}

void dispatch_tick(struct dispatch *dispatch, double now_s)
{
    if (now_s - dispatch->tick_s >= listens_s)
        dispatch->away_s = now_s;
    dispatch->tick_s = now_s;
    for (size_t i = 0; i < dispatch->worker_nr; i++) {
        struct worker *one = &dispatch->worker[i];
        if (!dispatch_works(dispatch, i) || now_s - one->heard_s < patience(dispatch))
            continue;
        pass_on(dispatch, one);
        one->lost = true;
    }
}

/* ---- questions ---- */

size_t dispatch_put(struct dispatch *dispatch, enum dispatch_kind kind)
{
    struct waiting *waiting = &dispatch->waiting[kind];
    size_t question = dispatch->question_nr++;
    GROW(dispatch->question, question + 1, dispatch->question_alloc);
    dispatch->question[question] = (struct question){.kind = kind, .queued = true};
    GROW(waiting->question, waiting->nr + 1, waiting->alloc);
    waiting->question[waiting->nr++] = question;
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
           dispatch->worker[worker].held_nr < dispatch->worker[worker].depth;
}

static bool least_loaded(const struct dispatch *dispatch, size_t *worker)
{
    bool found = false;
    for (size_t i = 0; i < dispatch->worker_nr; i++) {
        if (!has_room(dispatch, i) ||
            (found && dispatch->worker[i].held_nr >= dispatch->worker[*worker].held_nr))
            continue;
        *worker = i;
        found = true;
        if (!dispatch->worker[i].held_nr)
            break;
    }
    return found;
}

static size_t leave_queue(struct dispatch *dispatch, struct waiting *waiting)
{
    size_t question = waiting->question[waiting->begin++];
    dispatch->question[question].queued = false;
    return question;
}

/* The first that is still wanted. */
static bool first_waiting(struct dispatch *dispatch, enum dispatch_kind kind,
                          size_t *question)
{
    struct waiting *waiting = &dispatch->waiting[kind];
    while (waiting->begin < waiting->nr) {
        *question = waiting->question[waiting->begin];
        if (dispatch->question[*question].state == DISPATCH_WAITING)
            return true;
        leave_queue(dispatch, waiting);
    }
    return false;
}

static void assign(struct dispatch *dispatch, size_t worker, size_t question)
{
    struct worker *to = &dispatch->worker[worker];
    struct question *one = &dispatch->question[question];
    leave_queue(dispatch, &dispatch->waiting[one->kind]);
    one->state = DISPATCH_ASKED;
    one->holders++;
    GROW(to->held, to->held_nr + 1, to->held_alloc);
    to->held[to->held_nr++] = (struct held){.question = question};
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

/* It has answered: it does not have it any more. */
static void let_go(struct dispatch *dispatch, struct worker *worker, size_t question)
{
    for (size_t i = 0; i < worker->held_nr; i++) {
        if (worker->held[i].question != question)
            continue;
        worker->held[i] = worker->held[--worker->held_nr];
        dispatch->question[question].holders--;
        return;
    }
}

bool dispatch_take(struct dispatch *dispatch, size_t worker, size_t question,
                   double now_s)
{
    if (worker >= dispatch->worker_nr || question >= dispatch->question_nr)
        return false;
    struct question *about = &dispatch->question[question];
    dispatch_heard(dispatch, worker, now_s);
    let_go(dispatch, &dispatch->worker[worker], question);
    if (about->state == DISPATCH_ANSWERED || about->state == DISPATCH_GIVEN_UP)
        return false;
    about->state = DISPATCH_ANSWERED;
    return true;
}
