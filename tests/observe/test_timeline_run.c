/* Time lines of real programs: what counts on every machine, by order and never by time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/fs.h"
#include "observe/observe.h"
#include "tests/check.h"

SUITE(observe_timeline_run);

static int run(const char *const *argv, double interval_s, const char *events,
               struct timeline *timeline, struct error *err)
{
    struct timeline_run_opts opts = {
        .argv = argv, .interval_s = interval_s, .events = events, .out_to_err = true};
    struct spawn_outcome outcome;
    int result = timeline_run(&opts, timeline, &outcome, err);

    spawn_outcome_release(&outcome);
    return result;
}

/* The mean of an event over the part of the time line from `from` to `to` (0 .. 1). */
static double mean_between(const struct timeline *timeline, const char *name, double from,
                           double to)
{
    const struct timeline_event *event = timeline_find(timeline, name);
    double nr = (double)timeline->bin_nr;

    if (!event)
        return NAN;
    return timeline_mean(timeline, (size_t)(event - timeline->event), (size_t)(nr * from),
                         (size_t)(nr * to));
}

static const char *busy_event(const struct timeline *timeline)
{
    return timeline_find(timeline, "perf::TASK-CLOCK") ? "perf::TASK-CLOCK"
                                                       : "proc:::cpu";
}

/* Half a second each, by the clock of the shell's children: asleep, then at work in a
 * child. */
TEST("sleep and work are told apart")
{
    static const char *const argv[] = {
        "sh", "-c", "sleep 0.6; timeout 0.6 sh -c 'while :; do :; done' & wait; exit 3",
        NULL};
    struct timeline timeline;
    struct error err = {0};
    double asleep, at_work;

    if (!check_ok(run(argv, 0.02, NULL, &timeline, &err), &err))
        return;
    asleep = mean_between(&timeline, busy_event(&timeline), 0.2, 0.4);
    at_work = mean_between(&timeline, busy_event(&timeline), 0.6, 0.9);
    check(at_work > 4 * asleep);
    check_str(timeline.end, "exit status 3");
    check(timeline.bin_nr >= 10);
    check(timeline.own_cpu_s >= 0);
    for (size_t i = 1; i < timeline.bin_nr; i++)
        check(timeline.bin[i].from_s == timeline.bin[i - 1].to_s);
    timeline_release(&timeline);
}

/* Everything from the first instruction on, also of children of children that have
 * ended. */
TEST("nothing is lost")
{
    static const char *const argv[] = {
        "sh", "-c",
        "(head -c 3000000 /dev/zero) | (sleep 0.2; cat >/dev/null); sleep 0.2", NULL};
    struct timeline timeline;
    struct error err = {0};
    double bytes = 0;
    const struct timeline_event *read;

    if (!check_ok(run(argv, 0.02, "proc:::read,proc:::resident,proc:::threads", &timeline,
                      &err),
                  &err))
        return;
    read = timeline_find(&timeline, "proc:::read");
    if (check(read != NULL))
        for (size_t i = 0; i < timeline.bin_nr; i++)
            bytes += isnan(read->value[i])
                         ? 0
                         : 1e6 * read->value[i] *
                               (timeline.bin[i].to_s - timeline.bin[i].from_s);
    check(bytes >= 6e6); /* head and cat both */
    check(mean_between(&timeline, "proc:::threads", 0, 1) >= 1);
    check(mean_between(&timeline, "proc:::resident", 0, 1) > 0.1);
    timeline_release(&timeline);
}

TEST("grandchildren are seen")
{
    static const char *const argv[] = {"sh", "-c", "sh -c 'sleep 0.4; exit 0'; exit 0",
                                       NULL};
    struct timeline timeline;
    struct error err = {0};
    const struct timeline_event *processes;
    double max = 0;

    if (!check_ok(run(argv, 0.02, "proc:::processes", &timeline, &err), &err))
        return;
    processes = timeline_find(&timeline, "proc:::processes");
    for (size_t i = 0; processes && i < timeline.bin_nr; i++)
        max = fmax(max, processes->value[i]);
    check_eq((int)max, 3);
    timeline_release(&timeline);
}

TEST("a crash keeps the part so far")
{
    static const char *const argv[] = {"sh", "-c", "sleep 0.3; kill -SEGV $$", NULL};
    struct timeline timeline;
    struct error err = {0};

    if (!check_ok(run(argv, 0.02, NULL, &timeline, &err), &err))
        return;
    check_str(timeline.end, "ended by SIGSEGV");
    check(timeline.bin_nr >= 3);
    timeline_release(&timeline);
}

TEST("a short program")
{
    static const char *const argv[] = {"true", NULL};
    struct timeline timeline;
    struct error err = {0};

    if (!check_ok(run(argv, 1, NULL, &timeline, &err), &err))
        return;
    check_eq(timeline.bin_nr, 1); /* one reading, at its end */
    if (timeline_find(&timeline, "perf::PAGE-FAULTS"))
        check(mean_between(&timeline, "perf::PAGE-FAULTS", 0, 1) > 0);
    timeline_release(&timeline);
}

TEST("refusals")
{
    static const char *const nothing[] = {"/no/such/program", NULL};
    static const char *const well[] = {"true", NULL};
    static const struct {
        const char *const *argv, *events, *part;
        enum status status;
    } cases[] = {
        {nothing, NULL, "'/no/such/program' cannot be started: No such file",
         STATUS_MISSING},
        {well, "proc:::nonsense", "/proc has no event 'proc:::nonsense'", STATUS_MISSING},
        {well, "no::SUCH_EVENT", "'no::SUCH_EVENT'", STATUS_MISSING},
        {well, "sde:::solver::STEPS", "is inside of the program", STATUS_MISSING},
        {well, "nowhere:::*", "no event of PAPI's usable components", STATUS_MISSING},
        {well, "perf::TASK-CLOCK,,proc:::read", "an empty name", STATUS_USAGE},
        {well, "", "no event is named", STATUS_USAGE},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct timeline timeline;
        struct error err = {0};

        check_fails(run(cases[i].argv, 0.1, cases[i].events, &timeline, &err), &err,
                    cases[i].status, cases[i].part);
        timeline_release(&timeline);
    }
}
