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

#include "core/machine/probe/probe.h"
#include "core/machine/sampling/capacity.h"
#include "core/machine/sampling/trial.h"
#include "core/machine/topology/team.h"
#include "core/process/term.h"

struct sweep {
    double alone_bytes;
    size_t line;
    double memory_ns;         /* unloaded; 0 = not known */
    double alone_ns;          /* of the first core, the others wait; the least so far */
    struct capacity capacity; /* this and what follows is decided by the first core */
    size_t looks;
    double ask_bytes; /* all look at it now; 0 = the round ends */
    atomic_int stop;  /* somebody has not got the memory, or it is the end */
    struct error err;
};

static size_t whole_lines(const struct sweep *sweep, double bytes)
{
    return (size_t)(bytes / (double)sweep->line) * sweep->line;
}

/* Nanoseconds per step; tries again when another process got in between. */
static double step_ns(struct chase *chase)
{
    const double min_s = 300e-6;
    struct watch start, now;
    size_t taken;

    for (int tries = 0; tries < 4; tries++) {
        start = watch_now();
        taken = 0;
        do {
            chase_run(chase, 1, 2048);
            taken += 2048;
            now = watch_now();
        } while (now.wall_s - start.wall_s < min_s);
        if (!watch_was_disturbed(&start, &now))
            break;
    }
    return watch_s(&start, &now) / (double)taken * 1e9;
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

/* False when there is no further round. */
static bool one_round(struct team_member *member, struct sweep *sweep,
                      struct region *region)
{
    struct capacity *capacity = &sweep->capacity;
    double ns;

    if (!make_room(member, region, sweep->alone_bytes))
        return false;
    measure_alone(member, sweep, region->base);
    if (member->index == 0) {
        capacity_begin(capacity, capacity_bar_ns(sweep->alone_ns, sweep->memory_ns));
        sweep->ask_bytes = capacity_ask(capacity, clock_s());
    }
    team_wait(member);
    while (sweep->ask_bytes > 0) {
        if (!make_room(member, region, sweep->ask_bytes))
            return false;
        ns = measure_one(member, sweep, region->base);
        team_wait(member); /* all have read what was asked */
        if (member->index == 0) {
            sweep->looks++;
            capacity_tell(capacity, sweep->ask_bytes, ns, clock_s());
            sweep->ask_bytes = capacity_ask(capacity, clock_s());
        }
        team_wait(member); /* all see the same decision */
    }
    if (member->index == 0)
        atomic_store(&sweep->stop, !capacity_goes_on(capacity, clock_s()));
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
    double share = level->claimed_bytes / machine_level_users(machine, i),
           before = i > 0 ? machine_share_guess_bytes(machine, i - 1) : 0,
           available = memory_available_bytes();
    struct capacity *capacity = &sweep->capacity;

    capacity->from_bytes = fmin(share / 4, fmax(2 * before, share / 64));
    capacity->to_bytes = 4 * share;
    if (available > 0)
        capacity->to_bytes = fmin(capacity->to_bytes, available / 4 / machine->cores);
    sweep->alone_bytes = level->claimed_bytes / 2;
    if (before > 0)
        sweep->alone_bytes = fmin(sweep->alone_bytes, 3 * before);
    sweep->alone_bytes = fmin(sweep->alone_bytes, capacity->to_bytes);
    return capacity->to_bytes >= 2 * capacity->from_bytes;
}

static void note_open(struct probe *probe, const struct machine_level *level,
                      const struct capacity *capacity)
{
    bool looked = level->effective_low_bytes >= 0.99 * capacity->to_bytes;

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
    const struct capacity *capacity = &sweep->capacity;
    struct machine_level *level = &probe->machine->level[i];
    double before = i > 0 ? machine_share_guess_bytes(probe->machine, i - 1) : 0;
    struct quantity bytes =
        capacity_of(capacity->round, capacity->done, fmin(before, capacity->from_bytes));

    if (!bytes.known) {
        probe_note(probe,
                   "how much of L%d a core gets could not be determined: %.3g MiB of one "
                   "core alone took %.3g ns per step, as long as memory",
                   level->level, sweep->alone_bytes / (1 << 20), sweep->alone_ns);
        return;
    }
    level->effective_bytes = bytes.value;
    level->effective_low_bytes = bytes.low;
    level->effective_high_bytes = isinf(bytes.high) ? 0 : bytes.high;
}

static int run_sweep(struct probe *probe, int i, struct sweep *sweep, struct error *err)
{
    if (team_run(&probe->topology, probe->topology.cpus.cpu_nr, sweep_level, sweep, err))
        return -1;
    if (sweep->err.text[0])
        return fail(err, sweep->err.status, "%s", sweep->err.text);
    take(probe, i, sweep);
    return 0;
}

static void prepare(struct probe *probe, struct sweep *sweep, bool last)
{
    *sweep =
        (struct sweep){.line = (size_t)probe->machine->line_bytes, .alone_ns = INFINITY};
    for (size_t k = 0; last && k < probe->anchor_nr; k++)
        sweep->memory_ns = sweep->memory_ns > 0
                               ? fmin(sweep->memory_ns, probe->anchor[k].ns)
                               : probe->anchor[k].ns;
}

static int probe_level(struct probe *probe, int i, struct error *err)
{
    struct machine_level *level = &probe->machine->level[i];
    struct sweep *sweep = xcalloc(1, sizeof(*sweep));
    struct capacity *capacity = &sweep->capacity;
    bool last = i + 1 == probe->machine->level_nr;
    double now_s = clock_s();
    int result = 0;

    prepare(probe, sweep, last);
    capacity->rounds = probe->quick ? 5 : 15;
    /* The last level takes longest: its sets are large, and it learns slowly. */
    capacity->end_s = probe_until(probe, last ? 0.12 : 0.04);
    /* Whatever settling took: the claim is no answer. */
    capacity->first_s = now_s + (last ? 0.3 : 0.1) * probe->seconds;
    /* A round finds three footprints beyond the level: so all rounds together take the
     * time that there is. */
    capacity->spread_s =
        fmax(capacity->end_s - now_s, 0) / (3 * (double)capacity->rounds);
    if (!set_range(sweep, probe->machine, i))
        probe_note(probe,
                   "how much of L%d a core gets was not measured: too little memory "
                   "is free",
                   level->level);
    else
        result = run_sweep(probe, i, sweep, err);
    if (last)
        probe->last_capacity = *capacity;
    else if (level->effective_bytes > 0 && !level->effective_high_bytes)
        note_open(probe, level, capacity);
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

/* A neighbour that used the last level all the time that its end was looked for is told
 * by one more round, seconds later. */
int probe_capacity_again(struct probe *probe, struct error *err)
{
    int last = probe->machine->level_nr - 1, result = 0;
    struct machine_level *level = &probe->machine->level[last];
    struct sweep *sweep;

    if (last < 0 || !(level->effective_bytes > 0))
        return 0;
    probe_say(probe, "measuring once more how much of L%d a core gets", level->level);
    sweep = xcalloc(1, sizeof(*sweep));
    prepare(probe, sweep, true);
    sweep->capacity = probe->last_capacity;
    set_range(sweep, probe->machine, last);
    capacity_look_back(&sweep->capacity, clock_s(), 0.03 * probe->seconds);
    result = run_sweep(probe, last, sweep, err);
    if (!result && !level->effective_high_bytes)
        note_open(probe, level, &sweep->capacity);
    free(sweep);
    return result;
}
