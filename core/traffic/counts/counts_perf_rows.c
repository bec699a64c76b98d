/*
 * Rows of perf stat, whatever the form: units, multiplexing, sums, the time covered.
 * Forms: the manual page perf-stat(1), "CSV FORMAT" and "JSON FORMAT", and the output of
 * perf 5 and 6.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counts/counts_perf.h"

/* perf multiplies by these before it prints; here times are nanoseconds again, as the
 * kernel counts them. */
static double unit_factor(const char *unit)
{
    static const struct {
        const char *unit;
        double factor;
    } known[] = {{"msec", 1e6}, {"ms", 1e6}, {"usec", 1e3}, {"us", 1e3}, {"sec", 1e9}};
    for (size_t i = 0; unit && i < ARRAY_SIZE(known); i++)
        if (!strcmp(unit, known[i].unit))
            return known[i].factor;
    return 1;
}

/* Memory controllers count lines of 64 bytes; the kernel's drivers of Intel's name the
 * unit MiB and the factor 6.103515625e-5 for them (uncore_imc/cas_count_read.scale). */
static double lines_factor(const char *unit)
{
    return unit && !strcmp(unit, "MiB") ? 1048576.0 / 64 : 0;
}

static bool is_event(const char *event, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(event, name, length) && (!event[length] || event[length] == ':');
}

static int percent_of(const struct perf_rows *rows, const char *text, const char *what,
                      double *share, struct error *err)
{
    const char *why;
    char *number = xstrndup(text, strcspn(text, "%"));
    enum count_word word = count_number(number, share, &why);
    if (word == COUNT_BAD)
        csv_fail(&rows->lines, err, "%s: '%s' %s", what, text, why);
    *share = word == COUNT_NUMBER ? *share / 100 : 0;
    free(number);
    return word == COUNT_BAD ? -1 : 0;
}

/* The wall time as an event: the same on every CPU and in every interval's own row. */
static void take_wall(struct perf_rows *rows, const struct count_row *row)
{
    rows->wall_ns = fmax(rows->wall_ns, row->value);
    rows->wall_error = row->standard_error;
}

/* "0.93 msec task-clock # 0.009 CPUs utilized": the step is the last digit's. */
static void take_clock(struct perf_rows *rows, const struct perf_row *row,
                       const struct count_row *count)
{
    const char *dot = row->metric ? strchr(row->metric, '.') : NULL;
    rows->clocks++;
    rows->clock_ns = count->value;
    rows->cpus = 0;
    if (!dot || !row->measure || strcmp(row->measure, "CPUs utilized"))
        return;
    rows->cpus = strtod(row->metric, NULL);
    rows->cpus_step = pow(10, -(double)strlen(dot + 1));
}

static void take_count(struct perf_rows *rows, const struct perf_row *row,
                       struct count_row *count)
{
    double lines = lines_factor(row->unit);
    count->value *= lines > 0 ? lines : unit_factor(row->unit);
    rows->lines_of_64 += lines > 0;
    if (is_event(row->event, "duration_time")) {
        take_wall(rows, count);
        return;
    }
    if (is_event(row->event, "task-clock") || is_event(row->event, "cpu-clock"))
        take_clock(rows, row, count);
    for (size_t i = 0; !row->place && row->interval_s <= 0 && i < rows->sums.nr; i++)
        if (!strcmp(rows->sums.item[i].event, row->event))
            strvec_push_once(&rows->repeated, row->event);
    count_sums_add(&rows->sums, count);
}

int perf_rows_take(struct perf_rows *rows, const struct perf_row *row, struct error *err)
{
    struct count_row count = {.event = row->event, .runs = rows->runs};
    const char *why;
    enum count_word word = count_number(row->value, &count.value, &why);
    if (word == COUNT_BAD)
        return csv_fail(&rows->lines, err, "the count '%s' of '%s' %s", row->value,
                        row->event, why);
    if (!*row->event)
        return csv_fail(&rows->lines, err, "the event's name is missing");
    count.why = word == COUNT_NUMBER ? NULL : why;
    count.broken = word == COUNT_BROKEN;
    if ((row->percent &&
         percent_of(rows, row->percent, "share of the time", &count.share, err)) ||
        (row->variance &&
         percent_of(rows, row->variance, "variance", &count.standard_error, err)))
        return -1;
    if (count.share > 1.0005)
        return csv_fail(&rows->lines, err, "share of the time: %s is more than 100 %%",
                        row->percent);
    count.share = fmin(count.share, 1); /* rounded */
    if (row->place)
        strvec_push_once(&rows->place, row->place);
    rows->interval_s = fmax(rows->interval_s, row->interval_s);
    take_count(rows, row, &count);
    return 0;
}

/* ---- the time covered ---- */

static struct quantity seconds_of(const struct perf_rows *rows, struct count_set *set)
{
    double least = rows->cpus - rows->cpus_step / 2;
    if (rows->elapsed.known)
        return rows->elapsed;
    if (rows->interval_s > 0)
        return quantity_exact(rows->interval_s, PROVENANCE_RECORDED);
    if (rows->wall_ns > 0)
        return count_quantity(rows->wall_ns * 1e-9, 0, rows->wall_error, rows->runs);
    if (rows->clocks != 1 || rows->clock_ns <= 0 || least <= 0)
        return quantity_unknown();
    double cpu_s = rows->clock_ns * 1e-9;
    strvec_push(&set->note, "the time is that of the CPUs over how many were busy, as "
                            "perf rounds it: -e duration_time tells it exactly");
    return quantity_between(cpu_s / rows->cpus,
                            cpu_s / (rows->cpus + rows->cpus_step / 2), cpu_s / least, 0,
                            PROVENANCE_RECORDED);
}

/* ---- notes ---- */

static void note_places(const struct strvec *place, struct count_set *set)
{
    struct buf names = {0};
    for (size_t i = 0; i < place->nr && i < 4; i++)
        buf_addf(&names, "%s%s", i ? ", " : "", place->v[i]);
    if (place->nr > 1)
        strvec_pushf(&set->note, "counts are the sum over %zu places: %s%s", place->nr,
                     buf_str(&names), place->nr > 4 ? " ..." : "");
    buf_release(&names);
}

static void note_shares(const struct perf_rows *rows, struct count_set *set)
{
    const struct count_sum *least = NULL;
    for (size_t i = 0; i < rows->sums.nr; i++) {
        const struct count_sum *sum = &rows->sums.item[i];
        if (sum->value.known && sum->share > 0 && sum->share < 0.9995 &&
            (!least || sum->share < least->share))
            least = sum;
    }
    if (least)
        strvec_pushf(&set->note,
                     "the counters were shared out in turn: %s counted %.0f %% of the "
                     "time, the rest is taken to be alike",
                     least->event, 100 * least->share);
}

void perf_rows_finish(struct perf_rows *rows, struct count_set *set)
{
    set->source = xstrdup("perf stat");
    set->seconds = seconds_of(rows, set);
    note_places(&rows->place, set);
    note_shares(rows, set);
    for (size_t i = 0; i < rows->repeated.nr; i++)
        strvec_pushf(&set->note, "%s stands in several rows: their sum is taken",
                     rows->repeated.v[i]);
    if (rows->lines_of_64)
        strvec_push(&set->note, "counts in MiB are taken back to lines of 64 bytes, as "
                                "the memory controllers count");
    count_sums_move(&rows->sums, set);
    perf_rows_release(rows);
}

void perf_rows_release(struct perf_rows *rows)
{
    count_sums_release(&rows->sums);
    strvec_release(&rows->place);
    strvec_release(&rows->repeated);
    buf_release(&rows->lines.line);
}
