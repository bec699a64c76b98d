/*
 * Backwards along what was waited for. Latencies on the way (loads, arithmetic) are set
 * aside until it is known why the first of them did not begin earlier: if for want of
 * room in a buffer, the right way behind a branch or an entry of the miss queue, that is
 * their cause. A chain that goes on and on, through the same instructions again and
 * again, is its own cause.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/pipeline/misses.h"
#include "core/pipeline/pipeline_parts.h"

/* How often an instruction stands in a chain that is a recurrence: so many iterations
 * hang on one another. Fewer begin anew, as the two loads of an indirect access, or the
 * terms of one element. */
enum { RECURS_LOADS = 3, RECURS_ARITHMETIC = 8 };

enum node {
    NODE_RETIRED,
    NODE_DONE,
    NODE_EXECUTED,
    NODE_LOADED,
    NODE_CAME,
    NODE_WALKED,
    NODE_ISSUED,
    NODE_ADDRESSED,
    NODE_DISPATCHED,
    NODE_COMMITTED
};

enum kind { KIND_LOAD, KIND_ARITHMETIC, KIND_NR };

/* Latencies of one instruction that were set aside: in the chain that is followed now,
 * and in those before it. */
struct aside {
    double cycles[KIND_NR], walks, deferred;
    uint32_t links[KIND_NR];
    bool is_listed;
};

struct follow {
    const struct pipeline_stream *stream;
    const struct pipeline_memory *memory;
    const struct events *events;
    double until, time;
    enum node node;
    uint32_t at;
    struct aside *aside; /* by place */
    uint32_t *place;     /* those with something aside */
    size_t place_nr;
    double *blame[CAUSE_NR]; /* by place */
    struct path *path;
};

static uint32_t place_of(const struct follow *follow, uint32_t step)
{
    return follow->stream->step[step].place;
}

static void charge(struct follow *follow, enum cause cause, uint32_t place, double cycles)
{
    follow->path->cycles[cause] += cycles;
    if (!follow->blame[cause])
        follow->blame[cause] =
            xcalloc(follow->stream->instruction_nr, sizeof(*follow->blame[cause]));
    follow->blame[cause][place] += cycles;
}

/* A loop may touch an array in many places: together they may have the most. */
static void add_by_array(const struct follow *follow, const double *blame, double *of)
{
    const struct pipeline_pattern *pattern = follow->stream->pattern;
    size_t nr = follow->stream->instruction_nr;
    int last = -1;

    for (size_t i = 0; pattern && i < nr; i++)
        last = pattern[i].array > last ? pattern[i].array : last;
    double *array = xcalloc((size_t)(last + 2), sizeof(*array));
    for (size_t i = 0; pattern && i < nr; i++)
        array[pattern[i].array + 1] += blame[i]; /* [0]: of no array */
    for (size_t i = 0; i < nr; i++)
        of[i] = pattern && pattern[i].array >= 0 ? array[pattern[i].array + 1] : blame[i];
    free(array);
}

static uint32_t most_blamed(const struct follow *follow, const double *blame)
{
    size_t nr = follow->stream->instruction_nr;
    uint32_t best = UINT32_MAX;
    double *of;

    if (!blame)
        return best;
    of = xcalloc(nr + 1, sizeof(*of));
    add_by_array(follow, blame, of);
    for (uint32_t i = 0; i < nr; i++)
        if (blame[i] > 0 && (best == UINT32_MAX || of[i] > of[best] ||
                             (of[i] >= of[best] && blame[i] > blame[best])))
            best = i;
    free(of);
    return best;
}

/* What passes between now and `time`, no further than to the end. */
static double pass(struct follow *follow, double time)
{
    double to = fmax(fmin(time, follow->time), follow->until),
           cycles = fmax(follow->time - to, 0);

    follow->time = fmin(follow->time, time);
    return cycles;
}

static void pass_as(struct follow *follow, double time, enum cause cause)
{
    uint32_t place = place_of(follow, follow->at);

    charge(follow, cause, place, pass(follow, time));
}

static void pass_aside(struct follow *follow, double time, enum kind kind)
{
    uint32_t place = place_of(follow, follow->at);
    struct aside *aside = &follow->aside[place];

    if (!aside->is_listed)
        follow->place[follow->place_nr++] = place;
    aside->is_listed = true;
    aside->cycles[kind] += pass(follow, time);
    aside->links[kind]++;
}

/* The chain begins here. If it went through an instruction again and again it is its own
 * cause; else that is what kept its first operation from beginning earlier, which is not
 * known yet. `min`: how often is again and again. */
static void end_chain(struct follow *follow, const uint32_t min[KIND_NR])
{
    static const enum cause own[] = {
        [KIND_LOAD] = CAUSE_DEPENDENT_LOADS, [KIND_ARITHMETIC] = CAUSE_RECURRENCE};

    for (size_t i = 0; i < follow->place_nr; i++) {
        uint32_t place = follow->place[i];
        struct aside *aside = &follow->aside[place];

        if (aside->links[KIND_LOAD] >= min[KIND_LOAD])
            follow->path->chained_walks += aside->walks;
        aside->walks = 0;
        for (int kind = 0; kind < KIND_NR; kind++) {
            if (aside->links[kind] < min[kind])
                aside->deferred += aside->cycles[kind];
            else if (aside->cycles[kind] > 0)
                charge(follow, own[kind], place, aside->cycles[kind]);
            aside->cycles[kind] = 0;
            aside->links[kind] = 0;
        }
    }
}

static const uint32_t recurs[] = {
    [KIND_LOAD] = RECURS_LOADS, [KIND_ARITHMETIC] = RECURS_ARITHMETIC};

/* Why the chains since the last such place did not begin earlier is known. */
static void settle(struct follow *follow, enum cause cause)
{
    end_chain(follow, recurs);
    for (size_t i = 0; i < follow->place_nr; i++) {
        struct aside *aside = &follow->aside[follow->place[i]];

        if (aside->deferred > 0)
            charge(follow, cause, follow->place[i], aside->deferred);
        *aside = (struct aside){0};
    }
    follow->place_nr = 0;
}

static void go(struct follow *follow, enum node node, uint32_t at)
{
    follow->node = node;
    follow->at = at;
}

/* ---- one event back ---- */

static void from_retired(struct follow *follow, const struct events *now)
{
    if (now->for_retire.what == WAIT_DONE) {
        pass_as(follow, now->done, CAUSE_ISSUE_WIDTH);
        go(follow, NODE_DONE, follow->at);
    } else {
        pass_as(follow, follow->events[now->for_retire.at].retired, CAUSE_ISSUE_WIDTH);
        go(follow, NODE_RETIRED, now->for_retire.at);
    }
}

static void from_done(struct follow *follow, const struct events *now)
{
    if (now->done > now->executed)
        pass_aside(follow, now->executed, KIND_ARITHMETIC);
    go(follow, NODE_EXECUTED, follow->at);
}

static void from_executed(struct follow *follow, const struct events *now)
{
    const struct instruction_work *work =
        &follow->stream->instruction[place_of(follow, follow->at)].work;

    if (work->loads && work->class == WORK_NONE && now->ready > follow->time) {
        go(follow, NODE_ISSUED, follow->at); /* gave its place when it was sent */
        return;
    }
    pass_as(follow, now->ready, CAUSE_ARITHMETIC);
    if (now->for_ready.what == WAIT_LOADED)
        go(follow, NODE_LOADED, follow->at);
    else if (now->for_ready.what == WAIT_DATA)
        go(follow, NODE_DONE, now->for_ready.at);
    else if (now->for_ready.what == WAIT_ROB)
        go(follow, NODE_RETIRED, now->for_ready.at);
    else
        go(follow, NODE_DISPATCHED, follow->at);
}

static void from_loaded(struct follow *follow, const struct events *now)
{
    switch (now->for_load.what) {
    case WAIT_FORWARD:
        pass_aside(follow, fmax(now->issued, follow->events[now->for_load.at].done),
                   KIND_ARITHMETIC);
        if (follow->events[now->for_load.at].done >= now->issued)
            go(follow, NODE_DONE, now->for_load.at);
        else
            go(follow, NODE_ISSUED, follow->at);
        break;
    case WAIT_LINE:
        go(follow, NODE_CAME, now->for_load.at);
        break;
    default:
        if (now->missed) {
            go(follow, NODE_CAME, follow->at);
        } else {
            pass_aside(follow, now->issued, KIND_LOAD);
            go(follow, NODE_ISSUED, follow->at);
        }
    }
}

static bool is_store(const struct follow *follow)
{
    return follow->stream->instruction[place_of(follow, follow->at)].work.stores;
}

/* A line came to L1. */
static void from_came(struct follow *follow, const struct events *now)
{
    if (now->for_load.what == WAIT_CHANNEL && now->for_load.at != follow->at) {
        const struct events *before = &follow->events[now->for_load.at];

        settle(follow, bandwidth_cause(follow->memory, now->level));
        pass_as(follow, before->came, bandwidth_cause(follow->memory, now->level));
        go(follow, NODE_CAME, now->for_load.at);
        return;
    }
    pass_aside(follow, now->begun, KIND_LOAD);
    if (now->for_begin.what == WAIT_MSHR) {
        settle(follow, is_store(follow) ? CAUSE_STORES : CAUSE_L1_MSHRS);
        go(follow, NODE_CAME, now->for_begin.at);
        return;
    }
    go(follow, NODE_WALKED, follow->at);
}

static void from_walked(struct follow *follow, const struct events *now)
{
    if (now->for_walk.what == WAIT_WALKER) {
        settle(follow, CAUSE_PAGE_WALKS);
        pass_as(follow, follow->events[now->for_walk.at].walked, CAUSE_PAGE_WALKS);
        go(follow, NODE_WALKED, now->for_walk.at);
        return;
    }
    double before = follow->path->cycles[CAUSE_PAGE_WALKS];

    pass_as(follow, now->issued, CAUSE_PAGE_WALKS);
    follow->aside[place_of(follow, follow->at)].walks +=
        follow->path->cycles[CAUSE_PAGE_WALKS] - before;
    go(follow, NODE_ISSUED, follow->at);
}

static void from_addressed(struct follow *follow, const struct events *now)
{
    if (now->for_address.what == WAIT_DATA)
        go(follow, NODE_DONE, now->for_address.at);
    else
        go(follow, NODE_DISPATCHED, follow->at);
}

static void from_dispatched(struct follow *follow, const struct events *now)
{
    const struct wait *wait = &now->for_dispatch;

    end_chain(follow, recurs);
    /* the step from dispatch to execution */
    charge(follow, CAUSE_ISSUE_WIDTH, place_of(follow, follow->at),
           pass(follow, now->dispatched));
    switch (wait->what) {
    case WAIT_ORDER:
        pass_as(follow, follow->events[wait->at].dispatched, CAUSE_ISSUE_WIDTH);
        go(follow, NODE_DISPATCHED, wait->at);
        break;
    case WAIT_FETCH:
        settle(follow, CAUSE_FRONT_END);
        pass_as(follow, follow->events[wait->at].dispatched, CAUSE_FRONT_END);
        go(follow, NODE_DISPATCHED, wait->at);
        break;
    case WAIT_BRANCH:
        settle(follow, CAUSE_BRANCHES);
        pass_as(follow, follow->events[wait->at].done, CAUSE_BRANCHES);
        go(follow, NODE_DONE, wait->at);
        break;
    case WAIT_ROB:
        settle(follow, CAUSE_REORDER_BUFFER);
        go(follow, NODE_RETIRED, wait->at);
        break;
    case WAIT_LOADS:
        settle(follow, CAUSE_LOAD_BUFFER);
        go(follow, NODE_RETIRED, wait->at);
        break;
    case WAIT_SCHEDULER:
        settle(follow, CAUSE_SCHEDULER);
        go(follow, NODE_EXECUTED, wait->at);
        break;
    case WAIT_STORES:
        settle(follow, CAUSE_STORES);
        go(follow, NODE_COMMITTED, wait->at);
        break;
    default:
        follow->time = follow->until;
    }
}

static void from_committed(struct follow *follow, const struct events *now)
{
    if (now->for_commit.what == WAIT_ORDER) {
        pass_as(follow, follow->events[now->for_commit.at].committed, CAUSE_STORES);
        go(follow, NODE_COMMITTED, now->for_commit.at);
    } else if (now->for_commit.what == WAIT_LINE && now->missed) {
        go(follow, NODE_CAME, follow->at);
    } else {
        go(follow, NODE_RETIRED, follow->at);
    }
}

static void step_back(struct follow *follow)
{
    const struct events *now = &follow->events[follow->at];

    switch (follow->node) {
    case NODE_RETIRED:
        from_retired(follow, now);
        break;
    case NODE_DONE:
        from_done(follow, now);
        break;
    case NODE_EXECUTED:
        from_executed(follow, now);
        break;
    case NODE_LOADED:
        from_loaded(follow, now);
        break;
    case NODE_CAME:
        from_came(follow, now);
        break;
    case NODE_WALKED:
        from_walked(follow, now);
        break;
    case NODE_ISSUED:
        pass_as(follow, now->addressed, CAUSE_L1_BANDWIDTH);
        go(follow, NODE_ADDRESSED, follow->at);
        break;
    case NODE_ADDRESSED:
        from_addressed(follow, now);
        break;
    case NODE_DISPATCHED:
        from_dispatched(follow, now);
        break;
    case NODE_COMMITTED:
        from_committed(follow, now);
        break;
    }
}

/* What is aside at the end is a chain that was not seen to begin; a load that hangs on
 * the end of one is none of loads. Before it only the width was waited for. */
static void settle_rest(struct follow *follow)
{
    static const uint32_t any[KIND_NR] = {[KIND_LOAD] = RECURS_LOADS};

    end_chain(follow, any);
    settle(follow, CAUSE_ISSUE_WIDTH);
}

void path_follow(const struct pipeline_stream *stream,
                 const struct pipeline_memory *memory, const struct events *events,
                 double until, struct path *out)
{
    uint32_t last = (uint32_t)stream->step_nr - 1;
    size_t nr = stream->instruction_nr, steps = 64 * stream->step_nr;
    struct follow follow = {.stream = stream,
                            .memory = memory,
                            .events = events,
                            .until = until,
                            .time = events[last].retired,
                            .node = NODE_RETIRED,
                            .at = last,
                            .path = out};

    *out = (struct path){0};
    follow.aside = xcalloc(nr, sizeof(*follow.aside));
    follow.place = xcalloc(nr, sizeof(*follow.place));
    while (follow.time > until && steps--)
        step_back(&follow);
    settle_rest(&follow);
    free(follow.aside);
    free(follow.place);
    for (int c = 0; c < CAUSE_NR; c++) {
        out->blamed[c] = most_blamed(&follow, follow.blame[c]);
        free(follow.blame[c]);
    }
}
