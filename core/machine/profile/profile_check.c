/*
 * What a profile must hold true beyond the type and range of each value: files are edited
 * by hand, cut off, and written with the wrong units. Intervals are compared by their
 * ends, so that no scatter of a measurement is refused.
 */
#include <math.h>
#include <string.h>

#include "core/machine/profile/profile.h"

/* Far beyond every CPU table and every curve measured (A64FX 18, Xeon Max 52). */
static const double most_lines_in_flight = 1000;
/* Slicing of caches by hypervisors makes `claimed` wrong by some ten. */
static const double most_effective = 100;
static const double least_cache_bytes = 1024;

static int check_limit(const struct json_at *top, const char *key,
                       const struct machine_limit *limit, struct error *err)
{
    static const char *const scopes[] = {"core", "tile", "cluster"};
    struct json_at at;

    if (!limit->scope)
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(scopes); i++)
        if (strcmp(limit->scope, scopes[i]) == 0)
            return 0;
    return json_member(top, key, &at, err) ||
           json_fail(&at, err, "scope: expected core, tile or cluster, got \"%s\"",
                     limit->scope);
}

static int check_line(const struct json_at *top, const struct machine *machine,
                      struct error *err)
{
    struct json_at at;
    int line = machine->line_bytes, transfer = machine->transfer_bytes;

    if (line & (line - 1))
        return json_member(top, "line_bytes", &at, err) ||
               json_fail(&at, err, "expected a power of two, got %d", line);
    if (transfer && (transfer > line || line % transfer))
        return json_member(top, "transfer_bytes", &at, err) ||
               json_fail(&at, err, "expected a part of the line of %d bytes, got %d",
                         line, transfer);
    return 0;
}

/* Of the nearest level below `below` whose latency is known; unknown if there is none. */
static struct quantity inner_latency(const struct machine *machine, int below, int *level)
{
    for (int i = below - 1; i >= 0; i--)
        if (machine->level[i].latency_ns.known) {
            *level = machine->level[i].level;
            return machine->level[i].latency_ns;
        }
    return quantity_unknown();
}

/* Nothing farther away is faster. */
static int check_latency(const struct json_at *at, const char *key,
                         struct quantity latency, const struct machine *machine,
                         int below, struct error *err)
{
    struct json_at here;
    int level = 0;
    struct quantity inner = inner_latency(machine, below, &level);

    if (!latency.known || !inner.known || latency.high >= inner.low)
        return 0;
    return json_member(at, key, &here, err) ||
           json_fail(&here, err, "%g ns is less than the %g ns of the L%d cache",
                     latency.value, inner.value, level);
}

static int check_level(const struct json_at *at, const struct machine *machine, int i,
                       struct error *err)
{
    const struct machine_level *level = &machine->level[i];
    struct json_at here;

    if (level->claimed_bytes > 0 && level->claimed_bytes < least_cache_bytes)
        return json_member(at, "claimed_bytes", &here, err) ||
               json_fail(&here, err, "a cache of %g bytes; KiB instead of bytes?",
                         level->claimed_bytes);
    if (level->claimed_bytes > 0 &&
        level->effective_bytes > most_effective * level->claimed_bytes)
        return json_member(at, "effective_bytes", &here, err) ||
               json_fail(&here, err, "%g bytes is more than %g times the claimed %g",
                         level->effective_bytes, most_effective, level->claimed_bytes);
    return check_latency(at, "latency_ns", level->latency_ns, machine, i, err);
}

static int check_levels(const struct json_at *top, const struct machine *machine,
                        struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(top, "levels", &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (check_level(&item, machine, (int)i, err))
            return -1;
    }
    return check_latency(top, "memory_latency_ns", machine->memory_latency_ns, machine,
                         machine->level_nr, err);
}

/* Little's law catches bandwidth in MB/s. */
static int check_point(const struct json_at *at, const struct machine_point *point,
                       const struct machine_curve *curve, const struct machine *machine,
                       int cores, struct error *err)
{
    double bytes = point->gbs * point->latency_ns.value;
    double lines = bytes / machine->line_bytes / cores;

    if (lines > most_lines_in_flight)
        return json_fail(at, err,
                         "%g GB/s at %g ns are %.0f lines in flight per core; is gbs in "
                         "GB/s, latency_ns in ns?",
                         point->gbs, point->latency_ns.value, lines);
    /* A predicted end follows what all cores drew; a ceiling told too low stays told. */
    if (curve->ceiling_gbs.known && point->gbs > 1.05 * curve->ceiling_gbs.high &&
        point->latency_ns.provenance != PROVENANCE_PREDICTED)
        return json_fail(at, err, "%g GB/s is more than the curve's ceiling_gbs of %g",
                         point->gbs, curve->ceiling_gbs.high);
    return check_latency(at, "latency_ns", point->latency_ns, machine, machine->level_nr,
                         err);
}

static int check_curve(const struct json_at *at, const struct machine_curve *curve,
                       const struct machine *machine, int cores, struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(at, "points", &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (check_point(&item, &curve->point[i], curve, machine, cores, err))
            return -1;
    }
    return 0;
}

static int check_curves(const struct json_at *at, const struct machine_curve *curve,
                        const struct machine *machine, int cores, struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(at, "curves", &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (check_curve(&item, &curve[i], machine, cores, err))
            return -1;
    }
    return 0;
}

static int check_memories(const struct json_at *top, const struct machine *machine,
                          struct error *err)
{
    struct json_at list;
    size_t nr;

    if (!machine->memory_nr)
        return 0;
    if (json_array_at(top, "memories", &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        const struct machine_memory *memory = &machine->memory[i];
        struct json_at item = json_element(&list, i);

        if (check_latency(&item, "latency_ns", memory->latency_ns, machine,
                          machine->level_nr, err) ||
            check_curves(&item, memory->curve, machine, memory->cores, err))
            return -1;
    }
    return 0;
}

int profile_check(const struct json_at *top, const struct machine *machine,
                  struct error *err)
{
    return check_line(top, machine, err) ||
                   check_limit(top, "l1_mshrs", &machine->l1_mshrs, err) ||
                   check_limit(top, "l2_mshrs", &machine->l2_mshrs, err) ||
                   check_levels(top, machine, err) ||
                   check_curves(top, machine->curve, machine, machine->cores, err) ||
                   check_memories(top, machine, err)
               ? -1
               : 0;
}
