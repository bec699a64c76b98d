/* Who is asked what, and what becomes of it when workers are lost. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/base/random.h"
#include "search/remote/dispatch.h"
#include "tests/check.h"

SUITE(search_dispatch);

enum { NOBODY = -1 };

/* Nobody is asked anything: NOBODY in *question. */
static long long next(struct dispatch *dispatch, long long *question)
{
    size_t worker = 0, number = 0;
    bool any = dispatch_next(dispatch, &worker, &number);
    *question = any ? (long long)number : NOBODY;
    return any ? (long long)worker : NOBODY;
}

static void check_next(struct dispatch *dispatch, long long worker, long long question)
{
    long long asked;
    check_eq(next(dispatch, &asked), worker);
    check_eq(asked, question);
}

static void check_none(struct dispatch *dispatch)
{
    check_next(dispatch, NOBODY, NOBODY);
}

static struct dispatch *with_workers(size_t nr, size_t depth)
{
    struct dispatch *dispatch = dispatch_new(&(struct dispatch_opts){.silent_s = 10});
    for (size_t i = 0; i < nr; i++)
        check_eq(dispatch_join(dispatch, depth, 0), i);
    return dispatch;
}

static void put(struct dispatch *dispatch, enum dispatch_kind kind, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        dispatch_put(dispatch, kind);
}

TEST("nobody is asked before one has come, and what waited is asked in order then")
{
    struct dispatch *dispatch = with_workers(0, 0);
    size_t home;
    check_eq(dispatch_put(dispatch, DISPATCH_ANY), 0);
    check_eq(dispatch_put(dispatch, DISPATCH_ANY), 1);
    check_none(dispatch);
    check(!dispatch_home(dispatch, &home));
    dispatch_join(dispatch, 2, 0);
    check_next(dispatch, 0, 0);
    check_next(dispatch, 0, 1);
    check_none(dispatch);
    dispatch_free(dispatch);
}

TEST("what stands alone goes to whoever has the least, up to its depth")
{
    struct dispatch *dispatch = with_workers(2, 2);
    put(dispatch, DISPATCH_ANY, 6);
    check_next(dispatch, 0, 0);
    check_next(dispatch, 1, 1);
    check_next(dispatch, 0, 2);
    check_next(dispatch, 1, 3);
    check_none(dispatch);
    check(dispatch_take(dispatch, 1, 1, 1));
    check_next(dispatch, 1, 4);
    check_none(dispatch);
    dispatch_free(dispatch);
}

TEST("a depth of 0 is one question at a time")
{
    struct dispatch *dispatch = with_workers(1, 0);
    put(dispatch, DISPATCH_ANY, 2);
    check_next(dispatch, 0, 0);
    check_none(dispatch);
    dispatch_free(dispatch);
}

TEST("what the search waits for goes to the home before all else, however much it has")
{
    struct dispatch *dispatch = with_workers(2, 1);
    put(dispatch, DISPATCH_ANY, 3);
    check_next(dispatch, 0, 0);
    put(dispatch, DISPATCH_HOME, 2);
    check_next(dispatch, 0, 3);
    check_next(dispatch, 0, 4);
    check_next(dispatch, 1, 1);
    check_none(dispatch);
    dispatch_free(dispatch);
}

TEST("the home is the first that works; the next one takes its place")
{
    struct dispatch *dispatch = with_workers(3, 1);
    size_t home = 9;
    dispatch_put(dispatch, DISPATCH_HOME);
    check_next(dispatch, 0, 0);
    dispatch_leave(dispatch, 0);
    check(dispatch_home(dispatch, &home));
    check_eq(home, 1);
    check_next(dispatch, 1, 0);
    check_eq(dispatch_working(dispatch), 2);
    dispatch_heard(dispatch, 0, 1);
    check(!dispatch_works(dispatch, 0)); /* who has left does not come back */
    dispatch_free(dispatch);
}

TEST("what a worker had that leaves is asked again before the rest, in its order")
{
    struct dispatch *dispatch = with_workers(1, 3);
    put(dispatch, DISPATCH_ANY, 5);
    for (int i = 0; i < 3; i++)
        check_next(dispatch, 0, i);
    check(dispatch_take(dispatch, 0, 1, 1));
    dispatch_leave(dispatch, 0);
    check_eq(dispatch_state(dispatch, 0), DISPATCH_WAITING);
    dispatch_leave(dispatch, 0);
    dispatch_join(dispatch, 8, 1);
    check_next(dispatch, 1, 0);
    check_next(dispatch, 1, 2);
    check_next(dispatch, 1, 3);
    check_next(dispatch, 1, 4);
    check_none(dispatch);
    dispatch_free(dispatch);
}

TEST("silence is loss, and only after so long; the first answer counts")
{
    struct dispatch *dispatch = with_workers(2, 1);
    dispatch_put(dispatch, DISPATCH_ANY);
    check_next(dispatch, 0, 0);
    dispatch_heard(dispatch, 1, 9);
    dispatch_tick(dispatch, 9.9);
    check(dispatch_works(dispatch, 0));
    check_none(dispatch);
    dispatch_tick(dispatch, 10);
    check(!dispatch_works(dispatch, 0));
    check(dispatch_works(dispatch, 1));
    check_next(dispatch, 1, 0);
    check(dispatch_take(dispatch, 0, 0, 11)); /* it was only slow */
    check(dispatch_works(dispatch, 0));
    check(!dispatch_take(dispatch, 1, 0, 12));
    check(!dispatch_take(dispatch, 0, 0, 13));
    check_eq(dispatch_state(dispatch, 0), DISPATCH_ANSWERED);
    put(dispatch, DISPATCH_ANY, 2); /* both are free again */
    check_next(dispatch, 0, 1);
    check_next(dispatch, 1, 2);
    dispatch_free(dispatch);
}

TEST("where signs come often, silence is missed sooner; when nobody listens is no gap")
{
    struct dispatch *dispatch =
        dispatch_new(&(struct dispatch_opts){.silent_s = 90, .least_s = 15});
    dispatch_join(dispatch, 1, 0);
    double now_s = 2;
    for (; now_s < 8; now_s += 2) { /* too few to know */
        dispatch_tick(dispatch, now_s);
        dispatch_heard(dispatch, 0, now_s);
    }
    for (double end_s = now_s + 20; now_s < end_s; now_s += 2)
        dispatch_tick(dispatch, now_s);
    check(dispatch_works(dispatch, 0));
    dispatch_free(dispatch);

    dispatch = dispatch_new(&(struct dispatch_opts){.silent_s = 90, .least_s = 15});
    dispatch_join(dispatch, 1, 0);
    for (now_s = 0; now_s < 20; now_s += 2) {
        dispatch_tick(dispatch, now_s);
        dispatch_heard(dispatch, 0, now_s);
    }
    now_s += 30; /* the head was busy */
    dispatch_heard(dispatch, 0, now_s);
    dispatch_tick(dispatch, now_s);
    dispatch_join(dispatch, 1, now_s); /* and is never heard: others were, often enough */
    for (double end_s = now_s + 14; now_s < end_s; now_s += 2)
        dispatch_tick(dispatch, now_s);
    check(dispatch_works(dispatch, 0));
    check(dispatch_works(dispatch, 1));
    dispatch_tick(dispatch, now_s + 1);
    check(!dispatch_works(dispatch, 0));
    check(!dispatch_works(dispatch, 1));
    dispatch_heard(dispatch, 0, now_s + 1);
    check(dispatch_works(dispatch, 0));
    now_s += 1;
    for (double end_s = now_s + 4; now_s < end_s; now_s += 2)
        dispatch_tick(dispatch, now_s);
    dispatch_heard(dispatch, 0, now_s); /* 4 s: five times that is more than 15 */
    for (double end_s = now_s + 18; now_s < end_s; now_s += 2)
        dispatch_tick(dispatch, now_s);
    check(dispatch_works(dispatch, 0));
    dispatch_tick(dispatch, now_s + 2);
    check(!dispatch_works(dispatch, 0));
    dispatch_free(dispatch);
}

TEST("one that comes back still has what it had, and is not asked that twice")
{
    struct dispatch *dispatch = with_workers(1, 2);
    put(dispatch, DISPATCH_ANY, 3);
    check_next(dispatch, 0, 0);
    check_next(dispatch, 0, 1);
    dispatch_tick(dispatch, 20);
    check_eq(dispatch_state(dispatch, 1), DISPATCH_WAITING);
    dispatch_heard(dispatch, 0, 21);
    check_eq(dispatch_state(dispatch, 1), DISPATCH_ASKED);
    check_none(dispatch);
    check(dispatch_take(dispatch, 0, 0, 22));
    check_next(dispatch, 0, 2);
    check_none(dispatch);
    dispatch_free(dispatch);
}

TEST("a silence that ends is no loss: however often all are silent, nothing is given up")
{
    struct dispatch *dispatch = with_workers(3, 2);
    put(dispatch, DISPATCH_ANY, 6);
    for (int i = 0; i < 6; i++)
        check_next(dispatch, i % 3, i);
    for (int round = 1; round < 9; round++) {
        dispatch_tick(dispatch, 20 * round);
        check_eq(dispatch_working(dispatch), 0);
        check_none(dispatch);
        for (size_t i = 0; i < 3; i++)
            dispatch_heard(dispatch, i, 20 * round);
        check_none(dispatch);
    }
    for (size_t i = 0; i < 6; i++)
        check(dispatch_take(dispatch, i % 3, i, 200));
    dispatch_free(dispatch);
}

TEST("what three workers were lost with is given up; what waited behind it is not")
{
    struct dispatch *dispatch = with_workers(0, 0);
    put(dispatch, DISPATCH_ANY, 3);
    for (int round = 0; round < 3; round++) {
        dispatch_join(dispatch, 3, 0);
        for (int i = 0; i < 3; i++)
            check_next(dispatch, round, i);
        dispatch_leave(dispatch, (size_t)round);
    }
    check_eq(dispatch_state(dispatch, 0), DISPATCH_GIVEN_UP);
    check_eq(dispatch_state(dispatch, 1), DISPATCH_WAITING);
    check_eq(dispatch_state(dispatch, 2), DISPATCH_WAITING);
    check(!dispatch_take(dispatch, 0, 0, 1));
    dispatch_free(dispatch);
}

TEST("of both kinds the first one may be what a worker was lost with")
{
    struct dispatch *dispatch = dispatch_new(&(struct dispatch_opts){.tries = 1});
    put(dispatch, DISPATCH_ANY, 2);
    put(dispatch, DISPATCH_HOME, 2);
    dispatch_join(dispatch, 4, 0);
    check_next(dispatch, 0, 2);
    check_next(dispatch, 0, 3);
    check_next(dispatch, 0, 0);
    check_next(dispatch, 0, 1);
    dispatch_leave(dispatch, 0);
    check_eq(dispatch_state(dispatch, 0), DISPATCH_GIVEN_UP);
    check_eq(dispatch_state(dispatch, 1), DISPATCH_WAITING);
    check_eq(dispatch_state(dispatch, 2), DISPATCH_GIVEN_UP);
    check_eq(dispatch_state(dispatch, 3), DISPATCH_WAITING);
    dispatch_free(dispatch);
}

TEST("nobody is asked what nobody wants to know, and its answer is not taken")
{
    struct dispatch *dispatch = with_workers(1, 1);
    put(dispatch, DISPATCH_ANY, 3);
    dispatch_drop(dispatch, 0);
    check_next(dispatch, 0, 1);
    dispatch_drop(dispatch, 1);
    check_eq(dispatch_state(dispatch, 1), DISPATCH_GIVEN_UP);
    check_none(dispatch); /* the worker has it all the same */
    check(!dispatch_take(dispatch, 0, 1, 1));
    check_next(dispatch, 0, 2);
    check(dispatch_take(dispatch, 0, 2, 1));
    dispatch_drop(dispatch, 2);
    check_eq(dispatch_state(dispatch, 2), DISPATCH_ANSWERED);
    dispatch_free(dispatch);
}

TEST("an answer of who does not exist, or to what was never asked, is not taken")
{
    struct dispatch *dispatch = with_workers(1, 1);
    check(!dispatch_take(dispatch, 0, 0, 1));
    dispatch_put(dispatch, DISPATCH_ANY);
    check(!dispatch_take(dispatch, 1, 0, 1));
    check_eq(dispatch_state(dispatch, 0), DISPATCH_WAITING);
    dispatch_free(dispatch);
}

/* ---- at random ---- */

/* What is so of a worker, and what it was sent and did not answer: in the order in which
 * it answers. */
struct node {
    bool gone, mute; /* mute: it works on, and is not heard */
    size_t depth;
    double said_s;
    size_t *has;
    size_t has_nr, has_alloc;
};

struct trial {
    struct dispatch *dispatch;
    uint64_t state;
    double now_s, silent_s;
    size_t tries, worker_max, most; /* most: questions in all */
    struct node *node;
    size_t node_nr, node_alloc;
    struct asked {
        enum dispatch_kind kind;
        bool dropped;
        size_t taken, lost_with;
    } * asked;
    size_t asked_nr, asked_alloc;
};

static size_t draw(struct trial *trial, size_t below)
{
    return (size_t)(random_next(&trial->state) % below);
}

static size_t of_kind(const struct trial *trial, const struct node *node,
                      enum dispatch_kind kind)
{
    size_t nr = 0;
    for (size_t i = 0; i < node->has_nr; i++)
        nr += trial->asked[node->has[i]].kind == kind;
    return nr;
}

/* What it works on: what the search waits for first, else by number. */
static size_t in_hand(const struct trial *trial, const struct node *node)
{
    size_t first = 0;
    for (size_t i = 1; i < node->has_nr; i++) {
        const struct asked *one = &trial->asked[node->has[i]],
                           *other = &trial->asked[node->has[first]];
        if (one->kind != other->kind ? one->kind == DISPATCH_HOME
                                     : node->has[i] < node->has[first])
            first = i;
    }
    return first;
}

static void join(struct trial *trial)
{
    GROW(trial->node, trial->node_nr + 1, trial->node_alloc);
    struct node *node = &trial->node[trial->node_nr];
    *node = (struct node){.depth = 1 + draw(trial, 4), .said_s = trial->now_s};
    check_eq(dispatch_join(trial->dispatch, node->depth, trial->now_s), trial->node_nr++);
}

static void ask_more(struct trial *trial)
{
    GROW(trial->asked, trial->asked_nr + 1, trial->asked_alloc);
    enum dispatch_kind kind = draw(trial, 8) ? DISPATCH_ANY : DISPATCH_HOME;
    trial->asked[trial->asked_nr] = (struct asked){.kind = kind};
    check_eq(dispatch_put(trial->dispatch, kind), trial->asked_nr++);
}

static void send_all(struct trial *trial)
{
    size_t worker, question, home = 0;
    while (dispatch_next(trial->dispatch, &worker, &question)) {
        struct node *node = &trial->node[worker];
        struct asked *asked = &trial->asked[question];
        check(!node->gone && dispatch_works(trial->dispatch, worker));
        check(!asked->dropped && !asked->taken);
        for (size_t i = 0; i < node->has_nr; i++)
            check(node->has[i] != question);
        if (asked->kind == DISPATCH_HOME)
            check(dispatch_home(trial->dispatch, &home) && home == worker);
        GROW(node->has, node->has_nr + 1, node->has_alloc);
        node->has[node->has_nr++] = question;
        check(of_kind(trial, node, DISPATCH_ANY) <= node->depth);
    }
}

/* Answers; sometimes the answer comes twice. */
static void answer(struct trial *trial, size_t worker)
{
    struct node *node = &trial->node[worker];
    if (!node->has_nr)
        return;
    size_t at = in_hand(trial, node), question = node->has[at];
    node->has[at] = node->has[--node->has_nr];
    for (size_t i = draw(trial, 8) ? 1 : 2; i > 0; i--)
        trial->asked[question].taken +=
            dispatch_take(trial->dispatch, worker, question, trial->now_s);
    node->said_s = trial->now_s;
}

/* A worker is lost: the first of each kind that it has may be why. */
static void blame(struct trial *trial, const struct node *node)
{
    size_t first[2] = {SIZE_MAX, SIZE_MAX};
    for (size_t i = 0; i < node->has_nr; i++) {
        size_t *of = &first[trial->asked[node->has[i]].kind];
        *of = node->has[i] < *of ? node->has[i] : *of;
    }
    for (size_t kind = 0; kind < 2; kind++)
        if (first[kind] != SIZE_MAX)
            trial->asked[first[kind]].lost_with++;
}

/* An answer may be there for all that, later. */
static void leave(struct trial *trial, size_t worker)
{
    struct node *node = &trial->node[worker];
    size_t late = node->has_nr ? node->has[in_hand(trial, node)] : SIZE_MAX;
    if (dispatch_works(trial->dispatch, worker))
        blame(trial, node);
    dispatch_leave(trial->dispatch, worker);
    if (late != SIZE_MAX && !draw(trial, 3)) {
        if (draw(trial, 2))
            send_all(trial);
        trial->asked[late].taken +=
            dispatch_take(trial->dispatch, worker, late, trial->now_s);
    }
    node->gone = true;
    node->has_nr = 0;
}

static void one_event(struct trial *trial, bool quiet)
{
    size_t worker = draw(trial, trial->node_nr);
    struct node *node = &trial->node[worker];
    size_t what = draw(trial, quiet ? 10 : 16);
    if (node->gone) {
        if (trial->node_nr < trial->worker_max)
            join(trial);
    } else if (what < 10) {
        if (!node->mute)
            answer(trial, worker);
    } else if (what < 11) {
        leave(trial, worker);
    } else if (what < 13) {
        node->mute = !node->mute;
    } else if (what < 14 && trial->asked_nr) {
        size_t question = draw(trial, trial->asked_nr);
        bool drop = !draw(trial, 8) && !trial->asked[question].taken;
        if (drop)
            dispatch_drop(trial->dispatch, question);
        trial->asked[question].dropped = trial->asked[question].dropped || drop;
    } else if (trial->asked_nr < trial->most) {
        for (size_t i = 1 + draw(trial, 6); i > 0; i--)
            ask_more(trial);
    }
}

static bool is_silent(const struct trial *trial, const struct node *node)
{
    return trial->now_s - node->said_s >= trial->silent_s;
}

static void pass_time(struct trial *trial)
{
    trial->now_s += 1;
    for (size_t i = 0; i < trial->node_nr; i++)
        if (!trial->node[i].gone && !trial->node[i].mute && draw(trial, 2)) {
            trial->node[i].said_s = trial->now_s;
            dispatch_heard(trial->dispatch, i, trial->now_s);
        }
    for (size_t i = 0; i < trial->node_nr; i++)
        if (dispatch_works(trial->dispatch, i) && is_silent(trial, &trial->node[i]))
            blame(trial, &trial->node[i]);
    dispatch_tick(trial->dispatch, trial->now_s);
    for (size_t i = 0; i < trial->node_nr; i++)
        check_eq(dispatch_works(trial->dispatch, i),
                 !trial->node[i].gone && !is_silent(trial, &trial->node[i]));
}

static bool all_is_said(const struct trial *trial)
{
    for (size_t i = 0; i < trial->asked_nr; i++) {
        enum dispatch_state state = dispatch_state(trial->dispatch, i);
        if (state != DISPATCH_ANSWERED && state != DISPATCH_GIVEN_UP)
            return false;
    }
    return true;
}

/* Faults have an end: the rest is answered, in as many rounds as it takes the slowest. */
static void finish(struct trial *trial)
{
    size_t rounds = 0, most = 100 * (trial->asked_nr + trial->node_nr) + 100;
    for (size_t i = 0; i < trial->node_nr; i++)
        trial->node[i].mute = false;
    trial->worker_max = trial->node_nr + 1;
    join(trial);
    for (; !all_is_said(trial) && rounds < most; rounds++) {
        send_all(trial);
        one_event(trial, true);
        if (!draw(trial, 4))
            pass_time(trial);
    }
    check(rounds < most);
}

static void check_all(const struct trial *trial)
{
    for (size_t i = 0; i < trial->asked_nr; i++) {
        const struct asked *asked = &trial->asked[i];
        bool answered = dispatch_state(trial->dispatch, i) == DISPATCH_ANSWERED;
        check_eq(asked->taken, answered);
        if (!answered && !asked->dropped)
            check(asked->lost_with >= trial->tries);
    }
}

static void run_trial(uint64_t seed, size_t workers, size_t questions)
{
    struct trial trial = {.state = seed, .most = questions};
    trial.worker_max = 1 + draw(&trial, workers);
    trial.silent_s = 2 + (double)draw(&trial, 9);
    trial.tries = 1 + draw(&trial, 4);
    trial.dispatch = dispatch_new(
        &(struct dispatch_opts){.silent_s = trial.silent_s, .tries = trial.tries});
    join(&trial);
    for (size_t i = 0; i < 4 * questions; i++) {
        if (draw(&trial, 2))
            send_all(&trial);
        one_event(&trial, false);
        if (trial.node_nr < trial.worker_max && !draw(&trial, 8))
            join(&trial);
        if (!draw(&trial, 4))
            pass_time(&trial);
    }
    finish(&trial);
    check_all(&trial);
    for (size_t i = 0; i < trial.node_nr; i++)
        free(trial.node[i].has);
    free(trial.node);
    free(trial.asked);
    dispatch_free(trial.dispatch);
}

TEST(
    "at random: workers come, fall silent, come back and leave; nothing is lost or taken "
    "twice")
{
    for (uint64_t seed = 1; seed <= 300; seed++)
        run_trial(seed, 4, 24);
    for (uint64_t seed = 1; seed <= 20; seed++)
        run_trial(seed, 40, 400);
}
