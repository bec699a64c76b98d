#define _GNU_SOURCE /* sigabbrev_np */
#include "observe/timeline/timeline_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base.h"
#include "observe/timeline/timeline_events.h"

enum { sources_max = 8 };

struct run {
    const struct timeline_run_opts *opts;
    struct timeline *timeline;
    struct timeline_readings readings;
    struct timeline_offers offers;
    struct timeline_source source[sources_max];
    size_t source_nr;
    double start_s; /* clock_s() */
};

/*
 * Sources.
 */

enum origin { OF_PROC, OF_MEMORY, OF_COUNTERS, OF_PROCESS };

static enum origin origin_of(const struct timeline_wish *wish)
{
    const char *name = wish->event.name;

    return text_begins(name, "proc:::")     ? OF_PROC
           : text_begins(name, "memory:::") ? OF_MEMORY
           : wish->of_process               ? OF_PROCESS
                                            : OF_COUNTERS;
}

/* Those of an origin that are shown; how many. */
static size_t wishes_of(const struct run *run, enum origin origin,
                        const struct timeline_wish **wish)
{
    size_t nr = 0;

    for (size_t i = 0; i < run->offers.nr; i++)
        if (run->offers.offer[i].shown && origin_of(&run->offers.offer[i].wish) == origin)
            wish[nr++] = &run->offers.offer[i].wish;
    return nr;
}

static int open_one(struct run *run, enum origin origin, pid_t pid,
                    const struct timeline_wish *const *wish, size_t nr, struct error *err)
{
    struct timeline_source *source = &run->source[run->source_nr];

    switch (origin) {
    case OF_PROC:
        timeline_proc_open(wish, nr, &run->readings, source);
        return 0;
    case OF_MEMORY:
        return timeline_memory_open(wish, nr, &run->readings, source, err);
    default:
        return timeline_counters_open(wish, nr, pid, &run->readings, source, err);
    }
}

/* What cannot be opened although each event alone could is noted, unless the user asked
 * for it. */
static int open_origin(struct run *run, enum origin origin, pid_t pid, struct error *err)
{
    const struct timeline_wish **wish = xcalloc(run->offers.nr + 1, sizeof(*wish));
    size_t nr = wishes_of(run, origin, wish);
    struct error why = {0};
    int result = 0;

    if (nr && open_one(run, origin, pid, wish, nr, &why)) {
        if (run->opts->events && origin != OF_PROCESS)
            result = fail(err, why.status, "%s", why.text);
        else
            strvec_push(&run->timeline->note, why.text);
    } else if (nr) {
        run->source_nr++;
    }
    free(wish);
    return result;
}

/* The kernel's software events that do not count, in one sentence. */
static void note_software(struct run *run)
{
    struct buf text = {0};

    for (size_t i = 0; i < run->offers.nr; i++) {
        const struct timeline_offer *offer = &run->offers.offer[i];

        if (!offer->why || !text_begins(offer->wish.event.name, "perf::"))
            continue;
        if (text.length)
            buf_addf(&text, "; nor can '%s'", offer->wish.event.name);
        else
            buf_add(&text, offer->why);
    }
    if (text.length)
        strvec_push(&run->timeline->note, buf_str(&text));
    buf_release(&text);
}

/* The rows whose absence a reader would ask about. */
static void note_missing(struct run *run)
{
    for (size_t i = 0; i < run->offers.nr; i++) {
        const struct timeline_offer *offer = &run->offers.offer[i];

        if (offer->why && strcmp(offer->wish.event.name, "memory:::read") == 0)
            strvec_pushf(&run->timeline->note,
                         "memory bandwidth and occupancy are not shown: %s", offer->why);
    }
    note_software(run);
}

static int open_sources(struct run *run, struct error *err)
{
    static const enum origin order[] = {OF_COUNTERS, OF_MEMORY, OF_PROC};

    if (timeline_offers_find(run->opts->events, &run->offers, err))
        return -1;
    note_missing(run);
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        if (open_origin(run, order[i], 0, err))
            return -1;
    return 0;
}

static void close_sources(struct run *run)
{
    for (size_t i = 0; i < run->source_nr; i++)
        run->source[i].close(run->source[i].self);
    timeline_offers_release(&run->offers);
    free(run->readings.v);
}

/*
 * Reading.
 */

static void take(struct run *run, double at_s, size_t missed, bool ended)
{
    timeline_readings_begin(&run->readings, at_s);
    for (size_t i = 0; i < run->source_nr; i++) {
        struct timeline_source *source = &run->source[i];
        struct error why = {0};

        if (source->read(source->self, ended, &run->readings, &why) && !source->failed) {
            source->failed = true;
            strvec_pushf(&run->timeline->note, "at %.3f s: %s", at_s, why.text);
        }
    }
    timeline_take(run->timeline, at_s, missed, run->readings.v);
}

/* Until the program has ended. Deadlines are multiples of the interval, which grows with
 * the time line's. */
static void follow(struct run *run, struct spawn_child *child)
{
    double next = run->timeline->interval_s;

    while (!spawn_wait_for(child, run->start_s + next - clock_s())) {
        double interval = run->timeline->interval_s;
        double at = clock_s() - run->start_s;
        double missed = floor((at - next) / interval);

        if (at < next)
            continue;
        take(run, at, (size_t)missed, false);
        interval = run->timeline->interval_s;
        next = (floor(at / interval + 1e-6) + 1) * interval;
    }
}

/*
 * The program.
 */

static char *end_words(const struct spawn_outcome *outcome)
{
    const char *name;

    switch (outcome->end) {
    case SPAWN_EXITED:
        return xasprintf("exit status %d", outcome->code);
    case SPAWN_SIGNALLED:
        name = sigabbrev_np(outcome->code);
        return name ? xasprintf("ended by SIG%s", name)
                    : xasprintf("ended by signal %d", outcome->code);
    default:
        return xstrdup(spawn_end_word(outcome->end));
    }
}

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int start(struct run *run, struct spawn_child **child, struct error *err)
{
    struct spawn_request request = {
        .argv = run->opts->argv, .attached = true, .out_to_err = run->opts->out_to_err};

    run->start_s = clock_s();
    take(run, 0, 0, false);
    return spawn_start(&request, child, err);
}

static int not_started(const struct run *run, const struct spawn_outcome *outcome,
                       struct error *err)
{
    if (outcome->end != SPAWN_NOT_STARTED)
        return 0;
    return fail(err, STATUS_MISSING, "'%s' cannot be started: %s", run->opts->argv[0],
                strerror(outcome->code));
}

static int run_program(struct run *run, struct spawn_outcome *outcome, struct error *err)
{
    struct spawn_child *child;
    double cpu;

    if (start(run, &child, err))
        return -1;
    if (spawn_pid(child) && open_origin(run, OF_PROCESS, spawn_pid(child), err)) {
        spawn_wait_all(&child, 1, false, outcome, err);
        return -1;
    }
    cpu = cpu_s();
    follow(run, child);
    run->timeline->own_cpu_s = cpu_s() - cpu;
    if (spawn_wait_all(&child, 1, false, outcome, err))
        return -1;
    if (outcome->wall_s > run->timeline->began_s)
        take(run, outcome->wall_s, 0, true);
    return not_started(run, outcome, err);
}

int timeline_run(const struct timeline_run_opts *opts, struct timeline *timeline,
                 struct spawn_outcome *outcome, struct error *err)
{
    struct run run = {.opts = opts, .timeline = timeline};
    struct buf command = {0};
    int result;

    *timeline = (struct timeline){.interval_s = opts->interval_s};
    *outcome = (struct spawn_outcome){0};
    run.readings.timeline = timeline;
    buf_add_shell_words(&command, opts->argv);
    timeline->program = buf_detach(&command);
    result = open_sources(&run, err);
    if (result == 0)
        result = run_program(&run, outcome, err);
    close_sources(&run);
    timeline->end = end_words(outcome);
    timeline_fold_last(timeline);
    timeline_note_backwards(timeline);
    return result;
}
