#include "core/machine/sampling/walks.h"

#include <math.h>
#include <unistd.h>

#include "core/base/statistics.h"
#include "core/machine/sampling/pointer_chase.h"
#include "core/machine/sampling/trial.h"
#include "core/machine/topology/memory.h"
#include "core/process/term.h"

/* Without turns that do not count. */
static size_t extras_of(const struct walk_turn *turn, size_t nr, double *extra)
{
    size_t counted = 0;

    for (size_t i = 0; i < nr; i++) {
        double ns = turn[i].random_ns - (turn[i].before_ns + turn[i].after_ns) / 2;

        if (!isnan(ns))
            extra[counted++] = ns;
    }
    return counted;
}

static double median_extra(const struct walk_turn *turn, size_t nr)
{
    double extra[WALK_PAIRS_MAX];
    size_t counted = extras_of(turn, nr, extra);

    return counted ? median_sorting(extra, counted) : NAN;
}

static bool is_settled(const struct walk_turn *turn, size_t nr)
{
    double first = median_extra(turn, nr / 2),
           second = median_extra(turn + nr / 2, nr - nr / 2);

    return first - second <= fmax(0.25 * second, 0.05 * turn[nr - 1].after_ns);
}

double walk_extra_ns(const struct walk_turn *turn, size_t nr)
{
    double extra[WALK_PAIRS_MAX];

    if (3 * extras_of(turn, nr, extra) < nr || !is_settled(turn, nr))
        return NAN;
    return median_extra(turn, nr);
}

/* NaN when other processes got in between. */
static double step_ns(struct chase *chase, size_t steps)
{
    struct watch start = watch_now(), end;

    chase_run(chase, 1, steps);
    end = watch_now();
    return watch_was_disturbed(&start, &end)
               ? NAN
               : (end.wall_s - start.wall_s) / (double)steps * 1e9;
}

/* The local window is short beside the random one: it throws the page tables that the
 * random one needs out of the caches. What it takes after the random one, cold branches
 * and one walk, passes before it is timed. */
static struct walk_turn take_turn(struct chase *random, struct chase *local)
{
    enum { LEAD = 128, LOCAL = 1024, RANDOM = 5000 };
    struct walk_turn turn;

    chase_run(local, 1, LEAD);
    turn.before_ns = step_ns(local, LOCAL);
    chase_run(random, 1, LEAD);
    turn.random_ns = step_ns(random, RANDOM);
    chase_run(local, 1, LEAD);
    turn.after_ns = step_ns(local, LOCAL);
    return turn;
}

/* A hypervisor that keeps page tables of its own may have thrown them away since the last
 * look: on one such guest each page then costs 5 to 30 us once, 1 us when its neighbour
 * came before. */
static void touch_pages(const struct region *region)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t i = 0; i < region->bytes; i += page)
        (void)*(volatile const char *)(region->base + i);
}

/* Before the first turn each line of the page tables (8 entries, 32768 lines for 1 GiB of
 * small pages) is met three times, so that the caches hold what they will. */
double walk_look(const struct region *region, struct chase *random, struct chase *local,
                 double end_s)
{
    enum { LEAD = 100000, PART = 5000, TURNS = 16, TRIES = 4 };
    struct walk_turn turn[TURNS];
    double extra_ns = NAN;

    touch_pages(region);
    for (int done = 0; done < LEAD && clock_s() < end_s; done += PART)
        chase_run(random, 1, PART);
    for (int i = 0; i < TRIES && isnan(extra_ns) && (!i || clock_s() < end_s); i++) {
        for (int j = 0; j < TURNS; j++)
            turn[j] = take_turn(random, local);
        extra_ns = walk_extra_ns(turn, TURNS);
    }
    return extra_ns;
}
