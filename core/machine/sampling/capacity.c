#include "core/machine/sampling/capacity.h"

#include <math.h>
#include <stdlib.h>

#include "core/machine/machine.h"
#include "core/machine/sampling/trial.h"

/* The next level is more than twice as slow as the one before. */
static const double leaves = 1.6;
/* Footprints nearer to each other than this tell no more: others move the end by more. */
static const double near_enough = 1.2;
/* Slow looks at a footprint, each with a fast one below it, before it is beyond. */
static const size_t passes_min = 3;
/* Where the footprint below is slow, too, this many times the spread is waited. */
static const double patience = 8;
/* Ends of searches that nobody disturbed are nearer to each other: of five quick profiles
 * of one guest four were, and the fifth was off by five. */
static const double moves = 1.5;

double capacity_bar_ns(double level_ns, double memory_ns)
{
    double bar = leaves * level_ns;

    if (!(memory_ns > 0))
        return bar;
    return memory_ns > bar ? fmin(bar, sqrt(level_ns * memory_ns)) : NAN;
}

double capacity_next(const struct capacity_search *search)
{
    double inside = search->inside_bytes, beyond = search->beyond_bytes;

    if (search->lost)
        return 0;
    if (search->suspect.bytes)
        return search->suspect.ask_below ? inside : search->suspect.bytes;
    if (!inside && !beyond)
        return search->start_bytes;
    if (!beyond)
        return inside < search->to_bytes ? fmin(2 * inside, search->to_bytes) : 0;
    if (!inside)
        return beyond > search->from_bytes ? fmax(beyond / 2, search->from_bytes) : 0;
    return beyond > near_enough * inside ? sqrt(inside * beyond) : 0;
}

static void add_inside(struct capacity_search *search, double bytes, double ns)
{
    search->inside_bytes = bytes;
    search->inside_ns = ns;
    if (search->suspect.bytes <= bytes)
        search->suspect = (struct capacity_suspect){0};
    if (search->beyond_bytes <= bytes)
        search->beyond_bytes = 0;
}

static void add_slow(struct capacity_search *search, double bytes, double ns,
                     double now_s)
{
    struct capacity_suspect *suspect = &search->suspect;

    if (suspect->bytes != bytes)
        *suspect = (struct capacity_suspect){.bytes = bytes, .ns = ns, .since_s = now_s};
    suspect->ns = fmin(suspect->ns, ns);
    suspect->ask_below = search->inside_bytes > 0;
    suspect->passes += !suspect->ask_below;
}

static void judge_suspect(struct capacity_search *search, double now_s)
{
    struct capacity_suspect *suspect = &search->suspect;
    double took_s = now_s - suspect->since_s;

    if (suspect->passes >= passes_min && took_s >= search->spread_s) {
        search->beyond_bytes = suspect->bytes;
        search->beyond_ns = suspect->ns;
        *suspect = (struct capacity_suspect){0};
    } else {
        search->lost = suspect->refused >= passes_min &&
                       suspect->refused > suspect->passes &&
                       took_s >= patience * search->spread_s;
    }
}

void capacity_add(struct capacity_search *search, double bytes, double ns, double now_s)
{
    struct capacity_suspect *suspect = &search->suspect;
    bool below = suspect->bytes && suspect->ask_below, slow = ns > search->bar_ns;

    if (below) {
        suspect->passes += !slow;
        suspect->refused += slow;
        suspect->ask_below = false;
    } else if (slow) {
        add_slow(search, bytes, ns, now_s);
    } else {
        add_inside(search, bytes, ns);
    }
    if (suspect->bytes)
        judge_suspect(search, now_s);
}

static double max_inside(const struct capacity_search *search, size_t nr)
{
    double max = 0;

    for (size_t i = 0; i < nr; i++)
        max = fmax(max, search[i].inside_bytes);
    return max;
}

static bool is_taken_back(const struct capacity_search *search, double max_inside_bytes)
{
    return search->beyond_bytes > 0 && moves * search->beyond_bytes < max_inside_bytes;
}

/* A footprint that fitted says nothing where others found the end above it, one that did
 * not fit nothing where others found what fits. */
static bool tells(const struct capacity_search *search, double max_inside_bytes,
                  double max_beyond_bytes)
{
    if (search->beyond_bytes)
        return !is_taken_back(search, max_inside_bytes) &&
               (search->inside_bytes || !max_inside_bytes);
    return search->inside_bytes > max_beyond_bytes;
}

static double max_beyond(const struct capacity_search *search, size_t nr,
                         double max_inside_bytes)
{
    double max = 0;

    for (size_t i = 0; i < nr; i++)
        if (tells(&search[i], max_inside_bytes, INFINITY))
            max = fmax(max, search[i].beyond_bytes);
    return max;
}

void capacity_begin(struct capacity *capacity, double bar_ns)
{
    struct capacity_search *round = &capacity->round[capacity->done];
    double inside = max_inside(capacity->round, capacity->done),
           beyond = max_beyond(capacity->round, capacity->done, inside);

    *round = (struct capacity_search){.from_bytes = capacity->from_bytes,
                                      .to_bytes = capacity->to_bytes,
                                      .start_bytes = capacity->from_bytes,
                                      .spread_s = capacity->spread_s,
                                      .bar_ns = bar_ns};
    if (capacity->again)
        round->start_bytes = fmin(2 * fmax(inside, beyond), capacity->to_bytes);
    else if (capacity->done && round[-1].inside_bytes)
        round->start_bytes = fmax(round[-1].inside_bytes / 1.5, capacity->from_bytes);
}

/* One that still stands, in this many rounds. */
static bool has_end(const struct capacity *capacity, size_t nr)
{
    double max = max_inside(capacity->round, capacity->done + 1);

    for (size_t i = 0; i < nr; i++)
        if (capacity->round[i].beyond_bytes && !is_taken_back(&capacity->round[i], max))
            return true;
    return false;
}

static double until_s(const struct capacity *capacity, size_t nr)
{
    return has_end(capacity, nr) ? capacity->end_s : capacity->first_s;
}

double capacity_ask(const struct capacity *capacity, double now_s)
{
    const struct capacity_search *round = &capacity->round[capacity->done];

    if (isnan(round->bar_ns) || now_s >= until_s(capacity, capacity->done))
        return 0;
    return capacity_next(round);
}

void capacity_tell(struct capacity *capacity, double bytes, double ns, double now_s)
{
    capacity_add(&capacity->round[capacity->done], bytes, ns, now_s);
}

bool capacity_goes_on(struct capacity *capacity, double now_s)
{
    const struct capacity_search *round = &capacity->round[capacity->done];
    bool all_inside = round->inside_bytes >= capacity->to_bytes;
    double until = all_inside ? capacity->end_s : until_s(capacity, capacity->done + 1);

    capacity->done++;
    return capacity->done < capacity->rounds && now_s < until;
}

void capacity_look_back(struct capacity *capacity, double now_s, double seconds)
{
    capacity->again = true;
    capacity->rounds = capacity->done + 1;
    capacity->end_s = now_s + seconds;
    capacity->first_s = now_s + 4 * seconds;
}

/* Where the latency crosses the bar between both. */
static double end_bytes(const struct capacity_search *search)
{
    double inside = search->inside_bytes, beyond = search->beyond_bytes, share;

    if (!inside || !beyond)
        return inside ? inside : beyond;
    share =
        (search->bar_ns - search->inside_ns) / (search->beyond_ns - search->inside_ns);
    return inside * pow(beyond / inside, share);
}

/* Disturbances only take from the level: of several searches those that found much. The
 * interval holds what each of them left open. */
struct quantity capacity_of(const struct capacity_search *search, size_t nr,
                            double min_bytes)
{
    double *bytes = xcalloc(3 * nr + 1, sizeof(*bytes)), *low = bytes + nr,
           *high = low + nr, inside = max_inside(search, nr),
           beyond = max_beyond(search, nr, inside), value;
    size_t seen = 0, floors = 0;
    struct quantity result = quantity_unknown();

    for (size_t i = 0; i < nr; i++) {
        const struct capacity_search *one = &search[i];

        if (!tells(one, inside, beyond))
            continue;
        bytes[seen] = end_bytes(one);
        low[seen] = one->inside_bytes ? one->inside_bytes : min_bytes;
        high[seen++] = one->beyond_bytes ? one->beyond_bytes : one->inside_bytes;
        floors += !one->beyond_bytes;
    }
    if (seen) {
        value = samples_at(bytes, seen, 0.75);
        result = quantity_between(
            value, fmin(samples_at(low, seen, 0.25), value),
            2 * floors >= seen ? INFINITY : fmax(samples_at(high, seen, 0.75), value),
            seen, PROVENANCE_PROBE);
        if (isinf(result.high)) /* a floor is what is proven */
            result.value = result.low;
    }
    free(bytes);
    return result;
}

const struct machine_level *machine_cache(const struct machine *machine, int level)
{
    for (int i = 0; i < machine->level_nr; i++)
        if (machine->level[i].level == level)
            return &machine->level[i];
    return NULL;
}

int machine_level_users(const struct machine *machine, int i)
{
    int sharing = machine->level[i].cores_sharing;

    sharing = sharing < machine->cores ? sharing : machine->cores;
    return sharing > 1 ? sharing : 1;
}

static double claimed_part(const struct machine *machine, int i)
{
    return machine->level[i].claimed_bytes / machine_level_users(machine, i);
}

bool machine_is_probed(const struct machine *machine)
{
    return machine->fingerprint != NULL;
}

struct quantity machine_share_bytes(const struct machine *machine, int i)
{
    const struct machine_level *level;
    struct quantity share = quantity_unknown();

    if (i < 0 || i >= machine->level_nr)
        return share;
    level = &machine->level[i];
    if (level->effective_bytes > 0) {
        double low = level->effective_low_bytes > 0 ? level->effective_low_bytes
                                                    : level->effective_bytes;
        bool open = level->effective_low_bytes > 0 && !(level->effective_high_bytes > 0);

        return quantity_between(
            level->effective_bytes, low,
            open ? INFINITY : fmax(level->effective_high_bytes, level->effective_bytes),
            0, PROVENANCE_PROBE);
    }
    if (machine_is_probed(machine) && i > 0)
        share = machine_share_bytes(machine, i - 1);
    else if (level->claimed_bytes > 0)
        share = quantity_exact(claimed_part(machine, i), PROVENANCE_TABLE);
    if (share.known && machine_is_probed(machine)) {
        share.value = share.low;
        share.high = INFINITY;
    }
    return share;
}

double machine_share_guess_bytes(const struct machine *machine, int i)
{
    struct quantity share = machine_share_bytes(machine, i);

    return share.known ? share.value : 0;
}

double machine_share_max_bytes(const struct machine *machine, int i)
{
    struct quantity share = machine_share_bytes(machine, i);

    if (!share.known)
        return 0;
    return isinf(share.high) ? fmax(share.low, claimed_part(machine, i)) : share.high;
}

bool machine_level_is_as_claimed(const struct machine *machine, int i)
{
    const struct machine_level *level = &machine->level[i];
    struct quantity share = machine_share_bytes(machine, i);

    return level->claimed_bytes > 0 && (level->cores_sharing > 1 || !share.known ||
                                        share.high >= level->claimed_bytes / 2);
}
