/*
 * What one core really gets of each cache level when all cores want it: latency against
 * footprint, on all cores at the same time. Each footprint is chased line by line in
 * random order; the level ends where the latency leaves its plateau.
 */
#include <math.h>
#include <stdlib.h>

#include "core/machine/probe.h"
#include "core/machine/team.h"

enum { FOOTPRINT_NR = 12, ROUNDS_MAX = 15 };

struct sweep {
    struct probe *probe;
    double share_bytes; /* claimed size over cores that share it */
    size_t line, rounds;
    double ns[ROUNDS_MAX][FOOTPRINT_NR]; /* of the first core */
    double end_s;
    size_t done; /* rounds, decided by the first core */
    atomic_int stop;
    struct error err;
};

/* From a quarter of the share to four times as much. */
static size_t footprint(const struct sweep *sweep, size_t i)
{
    double bytes = sweep->share_bytes / 4 * pow(16, (double)i / (FOOTPRINT_NR - 1));

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

static double measure_one(struct team_member *member, struct sweep *sweep, char *base,
                          size_t i, uint64_t seed)
{
    struct chase chase;

    chase_build(&chase, &(struct chase_plan){.base = base,
                                             .bytes = footprint(sweep, i),
                                             .spacing = sweep->line,
                                             .order = CHASE_BLOCK_LOCAL,
                                             .seed = seed});
    team_wait(member);
    chase_warm(&chase);
    chase_run(&chase, 1, chase.node_nr < 20000 ? chase.node_nr : 20000);
    team_wait(member);
    return step_ns(&chase);
}

static void one_round(struct team_member *member, struct sweep *sweep, char *base,
                      size_t round)
{
    for (size_t i = 0; i < FOOTPRINT_NR; i++) {
        double ns = measure_one(member, sweep, base, i, round * 64 + i + 1);

        if (member->index == 0)
            sweep->ns[round][i] = ns;
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
    for (size_t round = 0; round < sweep->rounds && !atomic_load(&sweep->stop); round++) {
        one_round(member, sweep, region.base, round);
        if (member->index == 0) {
            sweep->done = round + 1;
            if (clock_s() > sweep->end_s)
                atomic_store(&sweep->stop, 1);
        }
        team_wait(member);
    }
    if (mapped)
        region_release(&region);
}

/* Where the latency leaves the plateau: each level is more than twice as slow as the one
 * before. The next level's own latency is no measure, since that level may be crowded.
 * NaN: it leaves it nowhere, so the level is far larger than is said. */
static double capacity(const struct sweep *sweep, const double *ns)
{
    double bar = 1.6 * fmin(ns[0], fmin(ns[1], ns[2]));

    if (ns[FOOTPRINT_NR - 1] <= bar)
        return NAN;
    for (size_t i = FOOTPRINT_NR; i-- > 1;) /* from above: disturbances only add */
        if (ns[i - 1] <= bar) {
            double share = (bar - ns[i - 1]) / (ns[i] - ns[i - 1]);
            double low = (double)footprint(sweep, i - 1),
                   high = (double)footprint(sweep, i);

            return low * pow(high / low, fmin(fmax(share, 0), 1));
        }
    return NAN;
}

static double effective_bytes(const struct sweep *sweep)
{
    double low[FOOTPRINT_NR], sample[ROUNDS_MAX];

    for (size_t i = 0; i < FOOTPRINT_NR; i++) {
        for (size_t round = 0; round < sweep->done; round++)
            sample[round] = sweep->ns[round][i];
        low[i] = samples_quantity(sample, sweep->done).low; /* disturbances only add */
    }
    return capacity(sweep, low);
}

static int probe_level(struct probe *probe, struct machine_level *level,
                       struct error *err)
{
    int users = level->cores_sharing < probe->machine->cores ? level->cores_sharing
                                                             : probe->machine->cores;
    struct sweep *sweep = xcalloc(1, sizeof(*sweep));
    double bytes;
    int result = -1;

    sweep->probe = probe;
    sweep->share_bytes = level->claimed_bytes / users;
    sweep->line = (size_t)probe->machine->line_bytes;
    sweep->rounds = probe->quick ? 5 : ROUNDS_MAX;
    sweep->end_s = probe_until(probe, 0.06);
    if (team_run(&probe->topology, probe->topology.cpus.cpu_nr, sweep_level, sweep, err))
        goto out;
    if (sweep->err.text[0]) {
        fail(err, sweep->err.status, "%s", sweep->err.text);
        goto out;
    }
    bytes = sweep->done ? effective_bytes(sweep) : NAN;
    level->effective_bytes = isnan(bytes) ? 0 : bytes;
    result = 0;
out:
    free(sweep);
    return result;
}

/* All cores need four times their share at once. */
static bool fits(const struct machine_level *level)
{
    double available = memory_available_bytes();

    return level->claimed_bytes > 0 &&
           (available <= 0 || level->claimed_bytes * 8 < available);
}

int probe_capacity(struct probe *probe, struct error *err)
{
    for (int i = 0; i < probe->machine->level_nr; i++) {
        struct machine_level *level = &probe->machine->level[i];

        probe_say(probe, "measuring how much of L%d a core gets", level->level);
        if (fits(level) && probe_level(probe, level, err))
            return -1;
    }
    return 0;
}
