#include "core/traffic/trace/trace_estimate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/trace/trace_file.h"
#include "core/traffic/traffic.h"

struct trace_group {
    char *name;
    int line;
    struct trace_window *window; /* one per window of the file: counts and left only */
};

/* ---- parts ---- */

static void add(const struct trace_charge *charge, struct trace_window *window)
{
#define X(name) window->counts.name += charge->counts.name;
    CACHE_COUNT_MAP(X)
#undef X
    for (int k = 0; k < CACHE_LEVELS_MAX; k++) {
#define X(name) window->counts.name[k] += charge->counts.name[k];
        CACHE_LEVEL_COUNT_MAP(X)
#undef X
        window->left[k] += charge->left[k];
    }
}

/* of[i]: the group of part i. */
static void fill(const struct trace_file *file, const size_t *of,
                 struct trace_group *group)
{
    for (size_t w = 0; w < file->window_nr; w++)
        for (size_t i = 0; i < file->window[w].charge_nr; i++) {
            const struct trace_charge *charge = &file->window[w].charge[i];

            add(charge, &group[of[charge->part]].window[w]);
        }
}

static struct trace_group group_new(const struct trace_file *file, char *name, int line)
{
    return (struct trace_group){
        name, line, xcalloc(file->window_nr + 1, sizeof(struct trace_window))};
}

static bool is_empty(const struct trace_file *file, const struct trace_group *group)
{
    for (size_t w = 0; w < file->window_nr; w++) {
        const struct cache_counts *counts = &group->window[w].counts;

        for (int k = 0; k < CACHE_LEVELS_MAX; k++)
            if (counts->fills[k] || counts->writebacks[k] || group->window[w].left[k])
                return false;
        if (counts->accesses || counts->nontemporal)
            return false;
    }
    return true;
}

static void group_release(struct trace_group *group)
{
    free(group->name);
    free(group->window);
}

/* Drops the last one if nothing is in it. */
static void drop_empty(const struct trace_file *file, struct trace_group *group,
                       size_t *nr)
{
    if (is_empty(file, &group[*nr - 1]))
        group_release(&group[--*nr]);
}

/* All arrays in the order of the file; those that are none, if any, behind them as
 * "other". None if the program announced no arrays. */
static void trace_groups_by_array(const struct trace_file *file,
                                  struct trace_group **group, size_t *nr)
{
    size_t *of = xcalloc(file->part_nr + 1, sizeof(*of));

    *nr = file->array.nr ? file->array.nr + 1 : 0;
    *group = xcalloc(*nr + 1, sizeof(**group));
    for (size_t i = 0; i < *nr; i++)
        (*group)[i] =
            group_new(file, xstrdup(i < file->array.nr ? file->array.v[i] : "other"), 0);
    for (size_t i = 0; i < file->part_nr; i++)
        of[i] = file->part[i].array;
    if (*nr) {
        fill(file, of, *group);
        drop_empty(file, *group, nr);
    }
    free(of);
}

static size_t group_of(const struct trace_file *file, const struct trace_part *part,
                       struct trace_group *group, size_t *nr)
{
    char *name = part->file ? xasprintf("%s:%d", path_base(part->file), part->line)
                            : xstrdup("elsewhere");

    for (size_t i = 0; i < *nr; i++)
        if (strcmp(group[i].name, name) == 0) {
            free(name);
            return i;
        }
    group[*nr] = group_new(file, name, part->line);
    return (*nr)++;
}

static bool has_lines(const struct trace_file *file)
{
    for (size_t i = 0; i < file->part_nr; i++)
        if (file->part[i].file)
            return true;
    return false;
}

/* "kernel.c:12"; places without a line together as "elsewhere", line 0. None if no place
 * has a line. */
static void trace_groups_by_line(const struct trace_file *file,
                                 struct trace_group **group, size_t *nr)
{
    size_t *of = xcalloc(file->part_nr + 1, sizeof(*of));
    size_t kept = 0;

    *nr = 0;
    *group = xcalloc(file->part_nr + 1, sizeof(**group));
    for (size_t i = 0; i < file->part_nr && has_lines(file); i++)
        of[i] = group_of(file, &file->part[i], *group, nr);
    if (*nr)
        fill(file, of, *group);
    for (size_t i = 0; i < *nr; i++) {
        if (is_empty(file, &(*group)[i]))
            group_release(&(*group)[i]);
        else
            (*group)[kept++] = (*group)[i];
    }
    *nr = kept;
    free(of);
}

static void trace_groups_free(struct trace_group *group, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        group_release(&group[i]);
    free(group);
}

static double lines_through(const struct traffic_part *part, int level)
{
    return part->fills[level].value + part->writebacks[level].value +
           part->nontemporal_lines.value;
}

static bool comes_before(const struct traffic_part *a, const struct traffic_part *b,
                         int level)
{
    double more = lines_through(a, level) - lines_through(b, level);

    return more != 0 ? more > 0 : a->accesses.value > b->accesses.value;
}

/* Most lines through the edge below `level` first; then most accesses. */
static void traffic_parts_sort(struct traffic_part *part, size_t nr, int level)
{
    for (size_t i = 1; i < nr; i++) {
        struct traffic_part this = part[i];
        size_t to = i;

        for (; to > 0 && comes_before(&this, &part[to - 1], level); to--)
            part[to] = part[to - 1];
        part[to] = this;
    }
}

/* ---- trace estimate ---- */

struct source {
    const struct trace_file *file;
    const struct traffic_geometry *geometry;
    double total; /* accesses of the call */
    bool whole;
    const struct trace_window *of; /* whose counts, per window: all, or a part's share */
};

static uint64_t count_in(const struct trace_window *window, size_t at, int k)
{
    return ((const uint64_t *)(const void *)((const char *)window + at))[k];
}

/* The access in its middle. */
static double centre(const struct trace_window *window)
{
    return (double)window->first + (double)window->counts.accesses / 2;
}

static struct quantity model(double value, double low, double high, size_t runs)
{
    return quantity_between(value, low < value ? low : value, high > value ? high : value,
                            runs, PROVENANCE_MODEL);
}

/* The share of the call that a window stands for: what lies nearer to it than to any
 * other. What could not be reached is shared by all. */
static double weight(const struct source *source, size_t i)
{
    const struct trace_file *file = source->file;
    const struct trace_window *window = file->window;
    double seen = fmax((double)file->seen, 1), low = 0, high = seen;

    if (i > 0)
        low = (centre(&window[i - 1]) + centre(&window[i])) / 2;
    if (i + 1 < file->window_nr)
        high = (centre(&window[i]) + centre(&window[i + 1])) / 2;
    return fmax(0, high - low) / seen;
}

/* A count per access of window i. */
static double rate(const struct source *source, size_t i, size_t at, int k)
{
    double accesses = (double)source->file->window[i].counts.accesses;

    return accesses > 0 ? (double)count_in(&source->of[i], at, k) / accesses : 0;
}

/*
 * Half the interval of the weighted mean over windows, in counts per access. Windows lie
 * in order, one in each part of the call, so that it is the step from one to the next
 * that a part may hide, not the spread over the call: the variance is taken from the
 * steps (Wolter, Introduction to Variance Estimation, 2nd ed., section 8.2.1, estimator
 * v2). One window: half to double.
 */
static double spread(const struct source *source, size_t at, int k, double mean)
{
    size_t nr = source->file->window_nr;
    double squares = 0;

    if (nr < 2)
        return mean;
    for (size_t i = 0; i + 1 < nr; i++) {
        double step = (rate(source, i + 1, at, k) - rate(source, i, at, k)) *
                      (weight(source, i) + weight(source, i + 1)) / 2;

        squares += step * step / 2;
    }
    return student_95(nr - 1) * sqrt(squares * (double)nr / (double)(nr - 1));
}

/* Accesses beyond what was reached may move nothing, or what the busiest window moved. */
static struct quantity with_unseen(const struct source *source, size_t at, int k,
                                   struct quantity all)
{
    double unseen = source->total - (double)source->file->seen, max = 0;

    if (source->file->end != TRACE_END_REACH || unseen <= 0)
        return all;
    for (size_t i = 0; i < source->file->window_nr; i++)
        max = fmax(max, rate(source, i, at, k));
    all.low *= (double)source->file->seen / source->total;
    all.high += unseen * (max - all.value / source->total);
    return all;
}

/* A count of struct trace_window, at this offset, for the whole call. */
static struct quantity scaled(const struct source *source, size_t at, int k)
{
    size_t nr = source->file->window_nr;
    double mean = 0, wide;

    if (source->whole)
        return quantity_exact((double)count_in(&source->of[0], at, k), PROVENANCE_MODEL);
    for (size_t i = 0; i < nr; i++)
        mean += weight(source, i) * rate(source, i, at, k);
    wide = spread(source, at, k, mean);
    return with_unseen(source, at, k,
                       model(mean * source->total, fmax(0, mean - wide) * source->total,
                             (mean + wide) * source->total, nr));
}

#define SCALED(source, field, k) scaled(source, offsetof(struct trace_window, field), k)

static double capacity_lines(const struct traffic_geometry *geometry, int level)
{
    int sharers = geometry->level[level].sharers;

    return geometry->level[level].bytes / geometry->line_bytes /
           (sharers > 1 ? sharers : 1);
}

/* The share of the fills of level k that stale contents may have caused: at most as many
 * as lines of the level had not been filled anew when counting began. */
static double unsure_share(const struct source *source, int k)
{
    double fills = 0, unsure = 0;

    for (size_t i = 0; i < source->file->window_nr; i++) {
        const struct trace_window *window = &source->file->window[i];
        double stale = capacity_lines(source->geometry, k) - (double)window->warm[k];

        fills += (double)window->counts.fills[k];
        unsure += fmin((double)window->counts.fills[k], fmax(0, stale));
    }
    return fills > 0 && !source->whole ? unsure / fills : 0;
}

/* Those of a part may have been caused by stale contents as much as all. */
static struct quantity fills(const struct source *source, int k)
{
    struct quantity fills = SCALED(source, counts.fills, k);

    fills.low = fmin(fills.low, fills.value * (1 - unsure_share(source, k)));
    return fills;
}

/* One call from empty caches leaves dirty lines behind; whether their write-back belongs
 * to it, is a matter of what follows. */
static struct quantity writebacks(const struct source *source, int k)
{
    struct quantity writebacks = SCALED(source, counts.writebacks, k);
    double left = source->whole ? (double)source->of[0].left[k] : 0;

    if (left <= 0)
        return writebacks;
    return model(writebacks.value + left, writebacks.value, writebacks.value + left, 0);
}

/* The share of the fills from memory that are read, when a CPU evades some reads of lines
 * that are then overwritten. */
static double read_share(const struct source *source)
{
    const struct traffic_geometry *geometry = source->geometry;
    double all = SCALED(source, counts.fills, geometry->level_nr - 1).value;
    double overwritten = SCALED(source, counts.overwritten, 0).value;

    return all > 0 ? 1 - (1 - geometry->store_read_factor) * overwritten / all : 1;
}

static void edge(const struct source *source, int k, struct traffic_edge *edge)
{
    edge->fills = fills(source, k);
    edge->covered = SCALED(source, counts.covered, k);
    edge->software = SCALED(source, counts.software, k);
    edge->writebacks = writebacks(source, k);
    edge->hits = SCALED(source, counts.hits, k);
    if (k == source->geometry->level_nr - 1) {
        edge->fills = quantity_scale(edge->fills, read_share(source));
        edge->covered = quantity_scale(edge->covered, read_share(source));
    }
}

/* covered_share: of all the covered lines from memory, those that are read. */
static void part(const struct source *source, double covered_share,
                 struct traffic_part *part)
{
    int last = source->geometry->level_nr - 1;

    part->accesses = SCALED(source, counts.accesses, 0);
    part->bytes = SCALED(source, counts.bytes, 0);
    part->nontemporal_lines = SCALED(source, counts.nontemporal, 0);
    for (int k = 0; k <= last; k++) {
        part->fills[k] = fills(source, k);
        part->covered[k] = SCALED(source, counts.covered, k);
        part->writebacks[k] = writebacks(source, k);
    }
    part->fills[last] = quantity_scale(part->fills[last], read_share(source));
    part->covered[last] = quantity_scale(part->covered[last], covered_share);
}

static void parts(const struct source *all, struct trace_group *group, size_t nr,
                  struct traffic_part **out, size_t *out_nr)
{
    *out = nr ? xcalloc(nr, sizeof(**out)) : NULL;
    *out_nr = nr;
    for (size_t i = 0; i < nr; i++) {
        struct source one = *all;

        one.of = group[i].window;
        part(&one, read_share(all), &(*out)[i]);
        (*out)[i].name = xstrdup(group[i].name);
        (*out)[i].line = group[i].line;
    }
    trace_groups_free(group, nr);
}

void trace_estimate(const struct trace_file *file,
                    const struct traffic_geometry *geometry, double total,
                    struct traffic *traffic)
{
    struct trace_group *group;
    size_t group_nr;
    struct source source = {file, geometry, total, false, file->window};
    double traced = 0;

    for (size_t i = 0; i < file->window_nr; i++)
        traced += (double)file->window[i].counts.accesses;
    source.whole = file->window_nr == 1 && traced >= total;
    for (int k = 0; k < geometry->level_nr; k++) {
        edge(&source, k, &traffic->edge[k]);
        traffic->l1_from[k] = SCALED(&source, counts.l1_from, k);
        traffic->l1_covered_from[k] = SCALED(&source, counts.l1_covered, k);
    }
    traffic->level_nr = geometry->level_nr;
    traffic->line_bytes = geometry->line_bytes;
    traffic->nontemporal_lines = SCALED(&source, counts.nontemporal, 0);
    traffic->page_walks = SCALED(&source, counts.walks, 0);
    traffic->bytes = SCALED(&source, counts.bytes, 0);
    traffic->stores = SCALED(&source, counts.stores, 0);
    traffic->stored_bytes = SCALED(&source, counts.stored, 0);
    traffic->accesses = quantity_exact(total, PROVENANCE_MODEL);
    traffic->instructions = traffic->flops = traffic->branches_missed =
        quantity_unknown();
    traffic->provenance = PROVENANCE_MODEL;
    /* Of a call without accesses nothing is left out. */
    traffic->traced_share = total > 0                         ? fmin(1, traced / total)
                            : file->end == TRACE_END_COMPLETE ? 1
                                                              : 0;
    trace_groups_by_array(file, &group, &group_nr);
    parts(&source, group, group_nr, &traffic->array, &traffic->array_nr);
    trace_groups_by_line(file, &group, &group_nr);
    parts(&source, group, group_nr, &traffic->site, &traffic->site_nr);
    traffic_parts_sort(traffic->site, traffic->site_nr, geometry->level_nr - 1);
}
