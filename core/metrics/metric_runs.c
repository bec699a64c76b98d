/* Runs of the same work, with different events, made one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/cpu/cpu.h"
#include "core/metrics/metrics.h"
#include "core/traffic/traffic.h"

/* The values of one event in the runs that have it, per call of the first run. */
struct sample {
    double *value;
    size_t nr;
    double low,
        high; /* widest of the runs' own intervals around their values, relative */
    double share;
    enum provenance provenance;
    const char *why;
};

static double scale_of(const struct count_set *run, const struct count_set *first)
{
    return run->calls > 0 && first->calls > 0 ? first->calls / run->calls : 1;
}

static void take(struct sample *sample, struct quantity value, double share, double scale)
{
    double half = value.value != 0 ? 1 / fabs(value.value) : 0;

    if (share > 0 && (sample->share <= 0 || share < sample->share))
        sample->share = share;
    sample->provenance = sample->nr && sample->provenance != value.provenance
                             ? PROVENANCE_DERIVED
                             : value.provenance;
    sample->low = fmax(sample->low, (value.value - value.low) * half);
    sample->high = fmax(sample->high, (value.high - value.value) * half);
    sample->value[sample->nr++] = value.value * scale;
}

static void gather(const struct count_set *run, size_t nr, const char *event,
                   struct sample *sample)
{
    for (size_t i = 0; i < nr; i++) {
        const struct event_count *count = count_set_find(&run[i], event);

        if (count && count->value.known)
            take(sample, count->value, count->share,
                 count_adds_up(event) ? scale_of(&run[i], &run[0]) : 1);
        else if (count && !sample->why)
            sample->why = count->why ? count->why : "the run did not count it";
    }
}

static double mean_of(const struct sample *sample)
{
    double sum = 0;

    for (size_t i = 0; i < sample->nr; i++)
        sum += sample->value[i];
    return sum / (double)sample->nr;
}

/* Largest relative distance from the mean; 0 of one run, or of a mean of 0. */
static double variation_of(const struct sample *sample)
{
    double mean = mean_of(sample), max = 0;

    for (size_t i = 0; i < sample->nr && mean != 0; i++)
        max = fmax(max, fabs(sample->value[i] - mean) / fabs(mean));
    return max;
}

/* Student's interval of the mean, and at least what each run was unsure of itself. */
static struct quantity mean_quantity(const struct sample *sample, double further)
{
    double mean = mean_of(sample), squares = 0, half = 0, size = fabs(mean);

    for (size_t i = 0; i < sample->nr; i++)
        squares += (sample->value[i] - mean) * (sample->value[i] - mean);
    if (sample->nr > 1)
        half = student_95(sample->nr - 1) *
               sqrt(squares / (double)(sample->nr - 1) / (double)sample->nr);
    else
        half = further * size;
    return quantity_between(mean, mean - hypot(half, sample->low * size),
                            mean + hypot(half, sample->high * size),
                            sample->nr > 1 ? sample->nr : 0, sample->provenance);
}

/* ---- all events ---- */

static struct quantity seconds_of(const struct count_set *run, size_t nr, double *value,
                                  double *variation)
{
    struct sample sample = {.value = value};

    for (size_t i = 0; i < nr; i++)
        if (run[i].seconds.known)
            take(&sample, run[i].seconds, 1, scale_of(&run[i], &run[0]));
    *variation = sample.nr ? variation_of(&sample) : 0;
    return sample.nr ? mean_quantity(&sample, 0) : quantity_unknown();
}

/* How far apart the runs are in what more than one of them counted. */
static double variation_of_events(const struct count_set *run, size_t nr, double *value,
                                  struct buf *which)
{
    double max = 0;

    for (size_t i = 0; i < nr; i++)
        for (size_t k = 0; k < run[i].count_nr; k++) {
            struct sample sample = {.value = value};
            double here;

            gather(run, nr, run[i].count[k].event, &sample);
            here = sample.nr > 1 ? variation_of(&sample) : 0;
            if (here <= max)
                continue;
            max = here;
            buf_reset(which);
            buf_add(which, run[i].count[k].event);
        }
    return max;
}

static void add_events(const struct count_set *run, size_t nr, double *value,
                       double variation, struct count_set *all)
{
    for (size_t i = 0; i < nr; i++)
        for (size_t k = 0; k < run[i].count_nr; k++) {
            const char *event = run[i].count[k].event;
            struct sample sample = {.value = value};

            if (count_set_find(all, event))
                continue;
            gather(run, nr, event, &sample);
            if (sample.nr)
                count_set_add(all, event, mean_quantity(&sample, variation),
                              sample.share);
            else
                count_set_add_unknown(all, event, sample.why);
        }
}

static int check_cpus(const struct count_set *run, size_t nr, struct error *err)
{
    const char *cpu = NULL;

    for (size_t i = 0; i < nr; i++) {
        const char *here = run[i].cpu;

        if (here && cpu && strcmp(here, cpu) != 0 && !cpu_names_agree(here, cpu))
            return fail(err, STATUS_INPUT,
                        "runs to be merged are from two CPUs, '%s' and '%s'; give each "
                        "its own column",
                        cpu, here);
        cpu = cpu ? cpu : here;
    }
    return 0;
}

/* What is not counted, of the first run that tells it. */
static void take_frame(const struct count_set *run, size_t nr, struct count_set *all)
{
    for (size_t i = 0; i < nr; i++) {
        if (!all->cpu)
            all->cpu = xstrdup(run[i].cpu);
        if (!all->source)
            all->source = xstrdup(run[i].source);
        if (!all->cores)
            all->cores = run[i].cores;
        for (size_t k = 0; k < run[i].note.nr; k++)
            strvec_push_once(&all->note, run[i].note.v[k]);
    }
    all->calls = run[0].calls;
}

int metric_runs_combine(const struct count_set *run, size_t nr, struct count_set *all,
                        double *variation, struct error *err)
{
    double *value, of_seconds, of_events;
    struct buf which = {0};

    *all = (struct count_set){0};
    *variation = 0;
    if (!nr)
        return fail(err, STATUS_MISSING, "there is no run to take counts from");
    if (check_cpus(run, nr, err))
        return -1;
    value = xcalloc(nr + 1, sizeof(*value));
    take_frame(run, nr, all);
    all->seconds = seconds_of(run, nr, value, &of_seconds);
    of_events = variation_of_events(run, nr, value, &which);
    *variation = fmax(of_seconds, of_events);
    add_events(run, nr, value, *variation, all);
    if (*variation > METRIC_VARIATION_MAX)
        strvec_pushf(
            &all->note,
            "the runs differ by up to %.1f %% of their mean in %s%s%s, more than "
            "%.0f %%: ratios of events from different runs are that uncertain",
            100 * *variation, of_events >= of_seconds ? "'" : "",
            of_events >= of_seconds ? buf_str(&which) : "their time",
            of_events >= of_seconds ? "'" : "", 100 * METRIC_VARIATION_MAX);
    buf_release(&which);
    free(value);
    return 0;
}
