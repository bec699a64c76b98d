#include "core/traffic/trace_estimate.h"

#include <math.h>
#include <stddef.h>

struct source {
    const struct trace_file *file;
    const struct traffic_geometry *geometry;
    double total; /* accesses of the call */
    bool whole;
};

static uint64_t count_in(const struct trace_window *window, size_t at, int k)
{
    return ((const uint64_t *)(const void *)((const char *)window + at))[k];
}

static struct quantity model(double value, double low, double high, size_t runs)
{
    return quantity_between(value, low < value ? low : value, high > value ? high : value,
                            runs, PROVENANCE_MODEL);
}

/* Two standard errors of the mean over windows, in counts per access; one window: half to
 * double. */
static double spread(const struct source *source, size_t at, int k, double mean)
{
    size_t nr = source->file->window_nr;
    double squares = 0;

    if (nr < 2)
        return mean;
    for (size_t i = 0; i < nr; i++) {
        const struct trace_window *window = &source->file->window[i];
        double rate = (double)count_in(window, at, k) / (double)window->counts.accesses;

        squares += (rate - mean) * (rate - mean);
    }
    return 2 * sqrt(squares / (double)(nr - 1) / (double)nr);
}

/* A count of struct trace_window, at this offset, for the whole call. */
static struct quantity scaled(const struct source *source, size_t at, int k)
{
    size_t nr = source->file->window_nr;
    double counted = 0, accesses = 0, mean, wide;

    for (size_t i = 0; i < nr; i++) {
        counted += (double)count_in(&source->file->window[i], at, k);
        accesses += (double)source->file->window[i].counts.accesses;
    }
    if (source->whole)
        return quantity_exact(counted, PROVENANCE_MODEL);
    mean = counted / accesses;
    wide = spread(source, at, k, mean);
    return model(mean * source->total, fmax(0, mean - wide) * source->total,
                 (mean + wide) * source->total, nr);
}

#define SCALED(source, field, k) scaled(source, offsetof(struct trace_window, field), k)

static double capacity_lines(const struct traffic_geometry *geometry, int level)
{
    return geometry->level[level].bytes / geometry->line_bytes;
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
    double left = source->whole ? (double)source->file->window[0].left[k] : 0;

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
    if (k == source->geometry->level_nr - 1) {
        edge->fills = quantity_scale(edge->fills, read_share(source));
        edge->covered = quantity_scale(edge->covered, read_share(source));
    }
}

void trace_estimate(const struct trace_file *file,
                    const struct traffic_geometry *geometry, double total,
                    struct traffic *traffic)
{
    struct source source = {file, geometry, total, false};
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
    traffic->accesses = quantity_exact(total, PROVENANCE_MODEL);
    traffic->instructions = traffic->flops = traffic->branches_missed =
        quantity_unknown();
    traffic->provenance = PROVENANCE_MODEL;
    traffic->traced_share = total > 0 ? fmin(1, traced / total) : 0;
}
