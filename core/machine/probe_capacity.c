/*
 * What one core really gets of each cache level when all cores want it: latency against
 * footprint, on all cores at the same time. Each footprint is chased line by line in
 * random order; the level ends where the latency leaves what the level itself takes, as
 * one core alone sees it in a footprint that surely fits. So a level of which a core gets
 * little, or which a guest shares with others, is told from the level before, whatever
 * size it claims.
 */
#include <math.h>
#include <stdlib.h>

#include "core/machine/capacity.h"
#include "core/machine/probe.h"
#include "core/machine/team.h"

enum { ROUNDS_MAX = 15 };

struct sweep {
    double from_bytes, to_bytes, alone_bytes;
    size_t line, rounds;
    double memory_ns; /* unloaded; 0 = not known */
    double alone_ns;  /* of the first core, the others wait; the least so far */
    double end_s;     /* no round begins later; the first one goes on until ... */
    double first_s;   /* ... then: an end is to be found */
    struct capacity_search round[ROUNDS_MAX];
    size_t done; /* rounds; this and what follows is decided by the first core */
    size_t looks;
    double ask_bytes; /* all look at it now; 0 = the round ends */
    double asked_ns;  /* the look before was at the same footprint; 0 = it was not */
    atomic_int stop;  /* somebody has not got the memory */
    struct error err;
};

static size_t whole_lines(const struct sweep *sweep, double bytes)
{
    return (size_t)(bytes / (double)sweep->line) * sweep->line;
}

/* Nanoseconds per step; tries again when another process got in between. */
static double step_ns(struct chase *chase)
{
    const double least_s = 300e-6;
    struct watch start, now;
    size_t taken;

    for (int tries = 0; tries < 4; tries++) {
        start = watch_now();
        taken = 0;
        do {
            chase_run(chase, 1, 2048);
            taken += 2048;
            now = watch_now();
        } while (now.wall_s - start.wall_s < least_s);
        if (!watch_was_disturbed(&start, &now))
            break;
    }
    return (now.wall_s - start.wall_s) / (double)taken * 1e9;
}

/* As much as is asked for and no more: few levels are as large as the largest footprint,
 * and memory that is touched takes time. False for all members if one has not got it. */
static bool make_room(struct team_member *member, struct region *region, double bytes)
{
    struct sweep *sweep = member->task;

    if ((double)region->bytes < bytes) {
        region_release(region);
        if (region_map(region, (size_t)bytes, true,
                       member->index == 0 ? &sweep->err : NULL))
            atomic_store(&sweep->stop, 1);
    }
    team_wait(member);
    return !atomic_load(&sweep->stop);
}

static void build(struct chase *chase, const struct sweep *sweep, char *base,
                  double bytes)
{
    chase_build(chase, &(struct chase_plan){.base = base,
                                            .bytes = whole_lines(sweep, bytes),
                                            .spacing = sweep->line,
                                            .order = CHASE_BLOCK_LOCAL,
                                            .seed = sweep->looks});
}

static void measure_alone(struct team_member *member, struct sweep *sweep, char *base)
{
    struct chase chase;

    if (member->index == 0) {
        build(&chase, sweep, base, sweep->alone_bytes);
        chase_warm(&chase);
        for (int i = 0; i < 5; i++) /* disturbances only add */
            sweep->alone_ns = fmin(sweep->alone_ns, step_ns(&chase));
    }
    team_wait(member);
}

static double measure_one(struct team_member *member, struct sweep *sweep, char *base)
{
    struct chase chase;

    build(&chase, sweep, base, sweep->ask_bytes);
    team_wait(member);
    chase_warm(&chase);
    chase_run(&chase, 1, chase.node_nr < 20000 ? chase.node_nr : 20000);
    team_wait(member);
    return step_ns(&chase);
}

/* The first core's decision after each look. What looks too large may have been disturbed
 * and is looked at twice. */
static void judge(struct sweep *sweep, double ns)
{
    struct capacity_search *round = &sweep->round[sweep->done];
    double until = sweep->done ? sweep->end_s : sweep->first_s;

    sweep->looks++;
    if (ns > round->bar_ns && !sweep->asked_ns) {
        sweep->asked_ns = ns;
        return;
    }
    capacity_add(round, sweep->ask_bytes,
                 sweep->asked_ns ? fmin(ns, sweep->asked_ns) : ns);
    sweep->asked_ns = 0;
    sweep->ask_bytes = clock_s() < until ? capacity_next(round) : 0;
}

/* Later rounds begin where the one before found the end. */
static void begin_round(struct sweep *sweep)
{
    struct capacity_search *round = &sweep->round[sweep->done];

    *round = (struct capacity_search){.from_bytes = sweep->from_bytes,
                                      .to_bytes = sweep->to_bytes,
                                      .start_bytes = sweep->from_bytes};
    if (sweep->done && round[-1].inside_bytes)
        round->start_bytes = fmax(round[-1].inside_bytes / 1.5, sweep->from_bytes);
    round->bar_ns = capacity_bar_ns(sweep->alone_ns, sweep->memory_ns);
    sweep->ask_bytes = isnan(round->bar_ns) ? 0 : capacity_next(round);
    sweep->asked_ns = 0;
}

/* False when there is no further round. */
static bool one_round(struct team_member *member, struct sweep *sweep,
                      struct region *region)
{
    double ns;

    if (!make_room(member, region, sweep->alone_bytes))
        return false;
    measure_alone(member, sweep, region->base);
    if (member->index == 0)
        begin_round(sweep);
    team_wait(member);
    while (sweep->ask_bytes > 0) {
        if (!make_room(member, region, sweep->ask_bytes))
            return false;
        ns = measure_one(member, sweep, region->base);
        team_wait(member); /* all have read what was asked */
        if (member->index == 0)
            judge(sweep, ns);
        team_wait(member); /* all see the same decision */
    }
    if (member->index == 0) {
        sweep->done++;
        atomic_store(&sweep->stop,
                     sweep->done == sweep->rounds || clock_s() >= sweep->end_s);
    }
    team_wait(member);
    return !atomic_load(&sweep->stop);
}

static void sweep_level(struct team_member *member)
{
    struct region region = {0};

    while (one_round(member, member->task, &region))
        team_wait(member); /* all have seen that there is one more */
    region_release(&region);
}

/* From well above what the level before holds, up to four times the share; all cores
 * need that at once. False: so much memory is not free. */
static bool set_range(struct sweep *sweep, const struct machine *machine, int i)
{
    const struct machine_level *level = &machine->level[i];
    int users =
        level->cores_sharing < machine->cores ? level->cores_sharing : machine->cores;
    double share = level->claimed_bytes / users, before = 0,
           available = memory_available_bytes();

    if (i > 0)
        before = level_bytes(&machine->level[i - 1]);
    sweep->from_bytes = fmin(share / 4, fmax(2 * before, share / 64));
    sweep->to_bytes = 4 * share;
    if (available > 0)
        sweep->to_bytes = fmin(sweep->to_bytes, available / 4 / machine->cores);
    sweep->alone_bytes = level->claimed_bytes / 2;
    if (before > 0)
        sweep->alone_bytes = fmin(sweep->alone_bytes, 3 * before);
    sweep->alone_bytes = fmin(sweep->alone_bytes, sweep->to_bytes);
    return sweep->to_bytes >= 2 * sweep->from_bytes;
}

static void note_open(struct probe *probe, const struct machine_level *level,
                      const struct sweep *sweep)
{
    bool looked = level->effective_low_bytes >= 0.99 * sweep->to_bytes;

    probe_note(probe,
               "a core gets at least %.3g MiB of L%d, how much more is unknown: %s; what "
               "is larger is taken to come from beyond L%d",
               level->effective_low_bytes / (1 << 20), level->level,
               looked ? "no end was seen up to there"
                      : "there was no time to go further, repeat it on a quiet machine",
               level->level);
}

static void take(struct probe *probe, int i, const struct sweep *sweep)
{
    struct machine_level *level = &probe->machine->level[i];
    double before = i > 0 ? level_bytes(&probe->machine->level[i - 1]) : 0;
    struct quantity bytes =
        capacity_of(sweep->round, sweep->done, fmin(before, sweep->from_bytes));

    if (!bytes.known) {
        probe_note(probe,
                   "how much of L%d a core gets could not be told: %.3g MiB of one core "
                   "alone took %.3g ns a step, as long as memory",
                   level->level, sweep->alone_bytes / (1 << 20), sweep->alone_ns);
        return;
    }
    level->effective_bytes = bytes.value;
    level->effective_low_bytes = bytes.low;
    level->effective_high_bytes = isinf(bytes.high) ? 0 : bytes.high;
    if (isinf(bytes.high))
        note_open(probe, level, sweep);
}

static int probe_level(struct probe *probe, int i, struct error *err)
{
    struct machine_level *level = &probe->machine->level[i];
    struct sweep *sweep = xcalloc(1, sizeof(*sweep));
    bool last = i + 1 == probe->machine->level_nr;
    int result = 0;

    sweep->line = (size_t)probe->machine->line_bytes;
    sweep->rounds = probe->quick ? 5 : ROUNDS_MAX;
    sweep->alone_ns = INFINITY;
    for (size_t k = 0; last && k < probe->anchor_nr; k++)
        sweep->memory_ns = sweep->memory_ns > 0
                               ? fmin(sweep->memory_ns, probe->anchor[k].ns)
                               : probe->anchor[k].ns;
    /* The last level takes longest: its sets are large, and it learns slowly. */
    sweep->end_s = probe_until(probe, last ? 0.12 : 0.04);
    /* Whatever settling took: the claim is no answer. */
    sweep->first_s = clock_s() + (last ? 0.3 : 0.1) * probe->seconds;
    if (!set_range(sweep, probe->machine, i))
        probe_note(probe,
                   "how much of L%d a core gets was not measured: too little memory "
                   "is free",
                   level->level);
    else if (team_run(&probe->topology, probe->topology.cpus.cpu_nr, sweep_level, sweep,
                      err))
        result = -1;
    else if (sweep->err.text[0])
        result = fail(err, sweep->err.status, "%s", sweep->err.text);
    else
        take(probe, i, sweep);
    free(sweep);
    return result;
}

int probe_capacity(struct probe *probe, struct error *err)
{
    for (int i = 0; i < probe->machine->level_nr; i++) {
        struct machine_level *level = &probe->machine->level[i];

        probe_say(probe, "measuring how much of L%d a core gets", level->level);
        if (level->claimed_bytes > 0 && probe_level(probe, i, err))
            return -1;
    }
    return 0;
}
