#include "core/machine/sampling/windows.h"

#include <math.h>
#include <stdlib.h>

#include "core/process/term.h"

/* Candidates are narrowed down after the first rounds; three windows make a median. */
enum { FIRST_ROUNDS = 2, KEEP = 4, MIN_ROUNDS = 5, TRIES = 3, MIN_SAMPLES = 3 };

void windows_add(struct windows *windows, const struct window_job *job)
{
    GROW(windows->job, windows->job_nr + 1, windows->job_alloc);
    windows->job[windows->job_nr++] = *job;
}

void windows_release(struct windows *windows)
{
    for (size_t i = 0; i < windows->job_nr; i++)
        free(windows->job[i].sample);
    free(windows->job);
    free(windows->part);
    *windows = (struct windows){0};
}

double window_together(const struct window_part *part, size_t nr, double window_s,
                       bool *alone)
{
    double total = 0, first = part[0].start_s, last = part[0].start_s;

    *alone = true;
    for (size_t i = 0; i < nr; i++) {
        *alone = *alone && !part[i].disturbed;
        total += part[i].per_s;
        first = fmin(first, part[i].start_s);
        last = fmax(last, part[i].start_s);
    }
    return last - first <= 0.1 * window_s ? total : NAN;
}

/* How many of its contest were better so far; of equal ones the first is better. */
static size_t place_of(const struct windows *windows, const struct window_job *job)
{
    size_t better = 0;

    for (size_t i = 0; i < windows->job_nr; i++) {
        const struct window_job *other = &windows->job[i];

        if (other->contest == job->contest && !other->dropped)
            better +=
                other->best > job->best || (other->best == job->best && other < job);
    }
    return better;
}

void windows_narrow(struct windows *windows, size_t keep)
{
    bool *drop = xcalloc(windows->job_nr + 1, sizeof(*drop));

    for (size_t i = 0; i < windows->job_nr; i++)
        drop[i] = place_of(windows, &windows->job[i]) >= keep;
    for (size_t i = 0; i < windows->job_nr; i++)
        windows->job[i].dropped |= drop[i];
    free(drop);
}

static struct quantity rate_of(const struct window_job *job)
{
    if (job->sample_nr >= MIN_SAMPLES)
        return samples_quantity(job->sample, job->sample_nr);
    if (job->best > 0)
        return quantity_between(job->best, job->best, INFINITY, job->sample_nr,
                                PROVENANCE_PROBE);
    return quantity_unknown();
}

/* A rate that was measured is better than one that is only "at least". */
static bool is_better(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return a.known;
    if (isinf(a.high) != isinf(b.high))
        return isinf(b.high);
    return a.value > b.value;
}

struct quantity windows_rate(const struct windows *windows, size_t contest,
                             const struct window_job **winner)
{
    struct quantity best = quantity_unknown();

    for (size_t i = 0; i < windows->job_nr; i++) {
        const struct window_job *job = &windows->job[i];
        struct quantity rate = rate_of(job);

        if (job->contest != contest || job->dropped || !is_better(rate, best))
            continue;
        best = rate;
        if (winner)
            *winner = job;
    }
    return best;
}

static struct window_part own_part(struct windows *windows, const struct window_job *job,
                                   size_t members, void *own)
{
    const double lead_s = 0.2e-3;
    struct window_part part;
    struct watch start, end;
    double units = 0;

    for (double lead = clock_s(); clock_s() - lead < lead_s;)
        job->burst(own, job->what);
    start = watch_now();
    do
        units += job->burst(own, job->what);
    while (clock_s() - start.wall_s < job->window_s);
    end = watch_now();
    part = (struct window_part){.per_s = units / (end.wall_s - start.wall_s),
                                .start_s = start.wall_s,
                                .disturbed = watch_was_disturbed(&start, &end)};
    atomic_fetch_add(&windows->finished, 1);
    while (atomic_load(&windows->finished) < members)
        job->burst(own, job->what);
    return part;
}

/* By the first member, while the others wait. */
static void keep_window(struct windows *windows, struct window_job *job, size_t members)
{
    bool alone;
    double per_s = window_together(windows->part, members, job->window_s, &alone);

    double now_s = clock_s();

    atomic_store(&windows->finished, 0);
    atomic_store(&windows->over, windows->stop_s > 0 && now_s >= windows->stop_s);
    atomic_store(&windows->again, (isnan(per_s) || !alone) && now_s < windows->end_s);
    if (isnan(per_s))
        return;
    job->best = fmax(job->best, per_s);
    if (!alone)
        return;
    GROW(job->sample, job->sample_nr + 1, job->sample_alloc);
    job->sample[job->sample_nr++] = per_s;
}

static void one_job(struct windows *windows, struct window_job *job,
                    struct team_member *member, void *own)
{
    size_t members = member->team->member_nr;

    for (int tries = 0; tries < TRIES; tries++) {
        if (job->settle)
            job->settle(own, job->what);
        team_wait(member);
        windows->part[member->index] = own_part(windows, job, members, own);
        team_wait(member);
        if (member->index == 0)
            keep_window(windows, job, members);
        team_wait(member);
        if (!atomic_load(&windows->again))
            break;
    }
}

/* Has it all it needs? Where other processes take windows, some jobs need more rounds. */
static bool is_complete(const struct windows *windows, const struct window_job *job)
{
    return job->dropped ||
           (job->sample_nr >= MIN_SAMPLES && windows->round >= windows->rounds);
}

static bool all_complete(const struct windows *windows)
{
    for (size_t i = 0; i < windows->job_nr; i++)
        if (!is_complete(windows, &windows->job[i]))
            return false;
    return true;
}

static void end_round(struct windows *windows)
{
    windows->round++;
    if (windows->round == FIRST_ROUNDS)
        windows_narrow(windows, KEEP);
    atomic_store(&windows->stop,
                 all_complete(windows) || atomic_load(&windows->over) ||
                     (windows->round >= MIN_ROUNDS && clock_s() >= windows->end_s));
}

void windows_run(struct windows *windows, struct team_member *member, void *own)
{
    if (member->index == 0) {
        windows->part = xcalloc(member->team->member_nr, sizeof(*windows->part));
        windows->round = 0;
        atomic_store(&windows->finished, 0);
        atomic_store(&windows->over, false);
        atomic_store(&windows->stop, windows->job_nr == 0);
    }
    team_wait(member);
    while (!atomic_load(&windows->stop)) {
        for (size_t i = 0; i < windows->job_nr && !atomic_load(&windows->over); i++)
            if (!is_complete(windows, &windows->job[i]))
                one_job(windows, &windows->job[i], member, own);
        team_wait(member); /* all have seen whether it is over */
        if (member->index == 0)
            end_round(windows);
        team_wait(member);
    }
}
