/*
 * What one core really gets of each cache level when all cores want it: latency against
 * footprint, on all cores at the same time. Each footprint is chased line by line in
 * random order; the level ends where the latency leaves what the level itself takes, as
 * one core alone sees it in a footprint that surely fits. So a level of which a core gets
 * little, or which a guest shares with others, is told from the level before.
 */
#include <math.h>
#include <stdlib.h>

#include "core/machine/probe.h"
#include "core/machine/team.h"

enum { FOOTPRINT_NR = 16, ROUNDS_MAX = 15 };

/* The next level is more than twice as slow as the one before. */
static const double leaves = 1.6;

struct sweep {
    struct probe *probe;
    double from_bytes, to_bytes, alone_bytes;
    size_t line, rounds;
    double alone_ns;                     /* of the first core, the others wait */
    double ns[ROUNDS_MAX][FOOTPRINT_NR]; /* of the first core */
    double end_s;
    size_t footprint_nr; /* that are measured; fewer once the end was seen */
    size_t done;         /* rounds, decided by the first core */
    atomic_int stop;     /* no more of this round, and no more rounds */
    struct error err;
};

static size_t whole_lines(const struct sweep *sweep, double bytes)
{
    return (size_t)(bytes / (double)sweep->line) * sweep->line;
}

static size_t footprint(const struct sweep *sweep, size_t i)
{
    double share = (double)i / (FOOTPRINT_NR - 1);

    return whole_lines(sweep, sweep->from_bytes *
                                  pow(sweep->to_bytes / sweep->from_bytes, share));
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

static void build(struct chase *chase, const struct sweep *sweep, char *base,
                  size_t bytes, uint64_t seed)
{
    chase_build(chase, &(struct chase_plan){.base = base,
                                            .bytes = bytes,
                                            .spacing = sweep->line,
                                            .order = CHASE_BLOCK_LOCAL,
                                            .seed = seed});
}

static void measure_alone(struct team_member *member, struct sweep *sweep, char *base)
{
    struct chase chase;

    if (member->index == 0) {
        build(&chase, sweep, base, whole_lines(sweep, sweep->alone_bytes), 1);
        chase_warm(&chase);
        sweep->alone_ns = step_ns(&chase);
        for (int i = 0; i < 4; i++) /* disturbances only add */
            sweep->alone_ns = fmin(sweep->alone_ns, step_ns(&chase));
    }
    team_wait(member);
}

static double measure_one(struct team_member *member, struct sweep *sweep, char *base,
                          size_t i, uint64_t seed)
{
    struct chase chase;

    build(&chase, sweep, base, footprint(sweep, i), seed);
    team_wait(member);
    chase_warm(&chase);
    chase_run(&chase, 1, chase.node_nr < 20000 ? chase.node_nr : 20000);
    team_wait(member);
    return step_ns(&chase);
}

/* The least of all rounds so far: disturbances only add. */
static double least_ns(const struct sweep *sweep, size_t round, size_t i)
{
    double least = sweep->ns[round][i];

    for (size_t r = 0; r < round; r++)
        least = fmin(least, sweep->ns[r][i]);
    return least;
}

/* The first core's decision after each footprint: two in a row that were far beyond the
 * end in every round are enough (one round alone may have been disturbed), larger ones
 * only take time; nor can they take more time than there is. */
static void judge(struct sweep *sweep, size_t round, size_t i)
{
    double far = 1.5 * leaves * sweep->alone_ns;

    if (round > 0 && i > 0 && i + 1 < sweep->footprint_nr &&
        least_ns(sweep, round, i) > far && least_ns(sweep, round, i - 1) > far)
        sweep->footprint_nr = i + 1;
    if (clock_s() > sweep->end_s) {
        if (i + 1 < sweep->footprint_nr && round == 0)
            sweep->footprint_nr = i + 1;
        atomic_store(&sweep->stop, 1);
    }
}

static void one_round(struct team_member *member, struct sweep *sweep, char *base,
                      size_t round)
{
    bool going = true;

    for (size_t i = 0; going && i < sweep->footprint_nr; i++) {
        double ns = measure_one(member, sweep, base, i, round * 64 + i + 1);

        if (member->index == 0) {
            sweep->ns[round][i] = ns;
            judge(sweep, round, i);
            if (i + 1 == sweep->footprint_nr)
                sweep->done = round + 1;
        }
        team_wait(member); /* all see the same decision */
        going = !atomic_load(&sweep->stop);
        team_wait(member); /* before the next one is made */
    }
}

static void sweep_level(struct team_member *member)
{
    struct sweep *sweep = member->task;
    struct region region;
    bool mapped = !region_map(&region, footprint(sweep, FOOTPRINT_NR - 1), true,
                              member->index == 0 ? &sweep->err : NULL);

    if (!mapped)
        atomic_store(&sweep->stop, 1);
    team_wait(member);
    if (!atomic_load(&sweep->stop)) {
        measure_alone(member, sweep, region.base);
        for (size_t round = 0; round < sweep->rounds && !atomic_load(&sweep->stop);
             round++)
            one_round(member, sweep, region.base, round);
    }
    if (mapped)
        region_release(&region);
}

/* Where the latency crosses the bar for good. *is_floor: it does not, up to here. 0: it
 * is beyond it everywhere. */
static double capacity(const struct sweep *sweep, const double *ns, bool *is_floor)
{
    double bar = leaves * sweep->alone_ns;
    size_t nr = sweep->footprint_nr, i = nr;

    while (i > 0 && ns[i - 1] > bar) /* from above: disturbances only add */
        i--;
    *is_floor = i == nr;
    if (!i || *is_floor)
        return i ? (double)footprint(sweep, nr - 1) : 0;

    double share = (bar - ns[i - 1]) / (ns[i] - ns[i - 1]);
    double low = (double)footprint(sweep, i - 1), high = (double)footprint(sweep, i);

    return low * pow(high / low, fmin(fmax(share, 0), 1));
}

static double effective_bytes(const struct sweep *sweep, bool *is_floor)
{
    double low[FOOTPRINT_NR], sample[ROUNDS_MAX];

    for (size_t i = 0; i < sweep->footprint_nr; i++) {
        for (size_t round = 0; round < sweep->done; round++)
            sample[round] = sweep->ns[round][i];
        low[i] = samples_quantity(sample, sweep->done).low; /* disturbances only add */
    }
    return capacity(sweep, low, is_floor);
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

static void take(struct probe *probe, struct machine_level *level,
                 const struct sweep *sweep)
{
    bool is_floor = false;
    double bytes;

    if (!sweep->done)
        return;
    bytes = effective_bytes(sweep, &is_floor);
    if (is_floor)
        probe_note(probe, "a core gets at least %.3g MiB of L%d, how much is unknown: %s",
                   bytes / (1 << 20), level->level,
                   sweep->footprint_nr < FOOTPRINT_NR ? "there was no time to go further"
                                                      : "no end was seen up to there");
    else if (bytes <= 0)
        probe_note(probe,
                   "how much of L%d a core gets could not be told: even %.3g MiB are "
                   "slower than the level itself",
                   level->level, sweep->from_bytes / (1 << 20));
    else
        level->effective_bytes = bytes;
}

static int probe_level(struct probe *probe, int i, struct error *err)
{
    struct machine_level *level = &probe->machine->level[i];
    struct sweep *sweep = xcalloc(1, sizeof(*sweep));
    int result = 0;

    sweep->probe = probe;
    sweep->line = (size_t)probe->machine->line_bytes;
    sweep->rounds = probe->quick ? 5 : ROUNDS_MAX;
    sweep->footprint_nr = FOOTPRINT_NR;
    /* The last level takes longest: its sets are large, and it learns slowly. */
    sweep->end_s = probe_until(probe, i + 1 == probe->machine->level_nr ? 0.1 : 0.04);
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
        take(probe, level, sweep);
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
