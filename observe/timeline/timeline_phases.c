#include "observe/timeline/timeline_phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/statistics.h"
#include "observe/timeline/timeline.h"

/* An event in groups of readings, in units of its noise; sums up to each place. */
struct course {
    double sigma;
    double *value, *weight;            /* [group]; weight 0 = not known */
    double *sum_w, *sum, *sum_squares; /* [group + 1] */
};

struct search {
    const struct timeline *timeline;
    size_t per_group, nr; /* groups */
    struct course *course;
    size_t course_nr;
    size_t *event; /* of each course */
};

static const double smallest_step = 0.02;

/*
 * From bins to groups.
 */

static size_t group_end(const struct search *search, size_t group)
{
    size_t end = (group + 1) * search->per_group;

    return end < search->timeline->bin_nr ? end : search->timeline->bin_nr;
}

static void group_values(const struct search *search, size_t event, struct course *course)
{
    const struct timeline *timeline = search->timeline;
    double usual =
        timeline_seconds(timeline) / (double)timeline->bin_nr * (double)search->per_group;

    for (size_t i = 0; i < search->nr; i++) {
        size_t from = i * search->per_group, to = group_end(search, i);
        double seconds = timeline->bin[to - 1].to_s - timeline->bin[from].from_s;
        double mean = timeline_mean(timeline, event, from, to);

        course->value[i] = isnan(mean) ? 0 : mean;
        course->weight[i] = isnan(mean) ? 0 : seconds / usual;
    }
}

/* Of up to five known values around group i. */
static double median_around(const struct course *course, size_t nr, size_t i)
{
    double near[5];
    size_t near_nr = 0;

    for (size_t k = i < 2 ? 0 : i - 2; k < nr && k <= i + 2; k++)
        if (course->weight[k] > 0)
            near[near_nr++] = course->value[k];
    return median_sorting(near, near_nr);
}

/* How many were taken off. */
static size_t filter(const struct search *search, struct course *course)
{
    double *smooth = xcalloc(search->nr + 1, sizeof(*smooth));
    size_t nr = 0;

    for (size_t i = 0; i < search->nr; i++)
        smooth[i] = median_around(course, search->nr, i);
    for (size_t i = 0; i < search->nr; i++)
        if (course->weight[i] > 0 &&
            fabs(course->value[i] - smooth[i]) > 4 * course->sigma) {
            course->value[i] = smooth[i];
            nr++;
        }
    free(smooth);
    return nr;
}

/*
 * Noise.
 */

/* From differences of neighbouring means of `step` groups, per group. */
static double sigma_of_differences(const struct search *search,
                                   const struct course *course, size_t step)
{
    double *difference = xcalloc(search->nr + 1, sizeof(*difference)), last = NAN, sigma;
    size_t nr = 0;

    for (size_t i = 0; i + step <= search->nr; i += step) {
        double sum = 0;
        bool known = true;

        for (size_t k = i; k < i + step; k++) {
            sum += course->value[k];
            known = known && course->weight[k] > 0;
        }
        if (known && !isnan(last))
            difference[nr++] = fabs(sum / (double)step - last);
        last = known ? sum / (double)step : NAN;
    }
    sigma =
        nr ? median_sorting(difference, nr) / 0.6745 / sqrt(2) * sqrt((double)step) : 0;
    free(difference);
    return sigma;
}

static void set_sigma(const struct search *search, size_t event, struct course *course)
{
    const struct timeline_event *about = &search->timeline->event[event];
    double group_s = timeline_seconds(search->timeline) / (double)search->nr;
    double max = 0, mean, sigma;

    for (size_t i = 0; i < search->nr; i++)
        max = fmax(max, fabs(course->value[i]));
    sigma = fmax(sigma_of_differences(search, course, 1),
                 sigma_of_differences(search, course, 2));
    mean = timeline_mean(search->timeline, event, 0, search->timeline->bin_nr);
    if (about->discrete)
        sigma = fmax(sigma, sqrt(fmax(mean * group_s, 1)) / group_s);
    course->sigma = fmax(fmax(sigma, about->resolution), smallest_step * max);
}

/*
 * The search.
 */

static bool tells(const struct search *search, size_t event)
{
    const struct timeline_event *about = &search->timeline->event[event];
    size_t known = 0;

    if (about->gauge)
        return false;
    for (size_t i = 0; i < search->timeline->bin_nr; i++)
        known += !isnan(about->value[i]);
    return 2 * known >= search->timeline->bin_nr;
}

static void add_course(struct search *search, size_t event)
{
    struct course course = {0};
    size_t nr = search->nr + 1;
    int rounds = 10;

    course.value = xcalloc(nr, sizeof(double));
    course.weight = xcalloc(nr, sizeof(double));
    course.sum_w = xcalloc(nr, sizeof(double));
    course.sum = xcalloc(nr, sizeof(double));
    course.sum_squares = xcalloc(nr, sizeof(double));
    group_values(search, event, &course);
    do /* large bursts hide small ones */
        set_sigma(search, event, &course);
    while (filter(search, &course) && --rounds);
    for (size_t i = 0; i < search->nr; i++) {
        double w = course.weight[i];
        double x = course.sigma > 0 ? course.value[i] / course.sigma : 0;

        course.sum_w[i + 1] = course.sum_w[i] + w;
        course.sum[i + 1] = course.sum[i] + w * x;
        course.sum_squares[i + 1] = course.sum_squares[i] + w * x * x;
    }
    search->event[search->course_nr] = event;
    search->course[search->course_nr++] = course;
}

static void search_open(const struct timeline *timeline, struct search *search)
{
    *search = (struct search){.timeline = timeline};
    search->per_group = (timeline->bin_nr + PHASE_GROUPS_MAX - 1) / PHASE_GROUPS_MAX;
    search->nr = (timeline->bin_nr + search->per_group - 1) / search->per_group;
    search->course = xcalloc(timeline->event_nr + 1, sizeof(*search->course));
    search->event = xcalloc(timeline->event_nr + 1, sizeof(*search->event));
    for (size_t i = 0; i < timeline->event_nr; i++)
        if (tells(search, i))
            add_course(search, i);
}

static void search_close(struct search *search)
{
    for (size_t i = 0; i < search->course_nr; i++) {
        free(search->course[i].value);
        free(search->course[i].weight);
        free(search->course[i].sum_w);
        free(search->course[i].sum);
        free(search->course[i].sum_squares);
    }
    free(search->course);
    free(search->event);
}

/* Squares around the means of the groups from `from` up to `to`. */
static double squares(const struct search *search, size_t from, size_t to)
{
    double all = 0;

    for (size_t i = 0; i < search->course_nr; i++) {
        const struct course *course = &search->course[i];
        double w = course->sum_w[to] - course->sum_w[from];
        double sum = course->sum[to] - course->sum[from];

        if (w > 0)
            all += course->sum_squares[to] - course->sum_squares[from] - sum * sum / w;
    }
    return all;
}

/* What a phase costs; in its first group, unless it is that of all, the change may be
 * under way. */
static double cost_of(const struct search *search, size_t from, size_t to)
{
    return squares(search, from + (from > 0), to);
}

static double penalty(const struct search *search)
{
    double d = 2 * (double)search->course_nr, l = 3 * log((double)search->nr + 1);

    return d + 2 * sqrt(d * l) + 2 * l;
}

/* before[j]: where the phase begins that ends before group j, in the best division of
 * all before j. */
static void divide(const struct search *search, size_t *before)
{
    double *best = xcalloc(search->nr + 1, sizeof(*best));
    double price = penalty(search);

    for (size_t j = 1; j <= search->nr; j++) {
        best[j] = cost_of(search, 0, j);
        before[j] = 0;
        for (size_t i = PHASE_BINS_MIN; i + PHASE_BINS_MIN <= j; i++) {
            double cost = best[i] + price + cost_of(search, i, j);

            if (cost < best[j]) {
                best[j] = cost;
                before[j] = i;
            }
        }
    }
    free(best);
}

/* How far group i is from the mean of the groups from `from` up to `to`. */
static double distance(const struct search *search, size_t i, size_t from, size_t to)
{
    double all = 0;

    for (size_t k = 0; k < search->course_nr; k++) {
        const struct course *course = &search->course[k];
        double w = course->sum_w[to] - course->sum_w[from];
        double x = course->sum[i + 1] - course->sum[i];

        if (w > 0 && course->weight[i] > 0)
            all +=
                pow(x / course->weight[i] - (course->sum[to] - course->sum[from]) / w, 2);
    }
    return all;
}

/* A first group that is rather like the phase before belongs there. */
static void settle(const struct search *search, size_t *boundary, size_t nr)
{
    for (size_t k = 1; k + 1 < nr; k++) {
        size_t at = boundary[k];

        if (at + PHASE_BINS_MIN < boundary[k + 1] &&
            distance(search, at, boundary[k - 1], at) <
                distance(search, at, at + 1, boundary[k + 1]))
            boundary[k]++;
    }
}

/* Where phases begin, and the end: one more than there are phases. */
static size_t boundaries(const struct search *search, size_t **boundary)
{
    size_t *before = xcalloc(search->nr + 1, sizeof(*before)), nr = 1, at;

    divide(search, before);
    for (size_t j = search->nr; j > 0; j = before[j])
        nr++;
    *boundary = xcalloc(nr, sizeof(**boundary));
    at = nr;
    for (size_t j = search->nr; j > 0; j = before[j])
        (*boundary)[--at] = j;
    settle(search, *boundary, nr);
    free(before);
    return nr;
}

/*
 * The result.
 */

static void fill_phase(const struct search *search, size_t from, size_t to,
                       struct timeline_phase *phase)
{
    const struct timeline *timeline = search->timeline;

    phase->from = from * search->per_group;
    phase->to = group_end(search, to - 1);
    phase->from_s = timeline->bin[phase->from].from_s;
    phase->to_s = timeline->bin[phase->to - 1].to_s;
    phase->mean = xcalloc(timeline->event_nr + 1, sizeof(*phase->mean));
    for (size_t i = 0; i < timeline->event_nr; i++)
        phase->mean[i] = timeline_mean(timeline, i, phase->from, phase->to);
}

/* Mean of a course over a phase, in units of its noise, and the weight of that. */
static double mean_of(const struct search *search, size_t course,
                      const struct timeline_phase *phase, double *weight)
{
    const struct course *of = &search->course[course];
    size_t from = phase->from / search->per_group, to = phase->to / search->per_group;

    to += phase->to % search->per_group != 0;
    from += from > 0; /* as cost_of */
    *weight = of->sum_w[to] - of->sum_w[from];
    return *weight > 0 ? (of->sum[to] - of->sum[from]) / *weight : NAN;
}

/* No event's mean differs by more than a tenth of the larger, or than noise explains. */
static bool same_kind(const struct search *search, const struct timeline_phase *a,
                      const struct timeline_phase *b)
{
    for (size_t i = 0; i < search->course_nr; i++) {
        double of_a, of_b;
        double x = mean_of(search, i, a, &of_a), y = mean_of(search, i, b, &of_b);

        if (fabs(x - y) >
            fmax(4 * sqrt(1 / of_a + 1 / of_b), 0.1 * fmax(fabs(x), fabs(y))))
            return false;
    }
    return true;
}

/* Neighbours that differ by less than that are one phase: boundaries at which an event
 * crept. */
static void join_neighbours(const struct search *search, struct timeline_phases *phases)
{
    size_t nr = 0;

    for (size_t i = 0; i < phases->nr; i++) {
        struct timeline_phase *last = nr ? &phases->phase[nr - 1] : NULL;
        struct timeline_phase *phase = &phases->phase[i];

        if (!last || !same_kind(search, last, phase)) {
            phases->phase[nr++] = *phase;
            continue;
        }
        free(phase->mean);
        last->to = phase->to;
        last->to_s = phase->to_s;
        for (size_t k = 0; k < search->timeline->event_nr; k++)
            last->mean[k] = timeline_mean(search->timeline, k, last->from, last->to);
    }
    phases->nr = nr;
}

static void name_kinds(const struct search *search, struct timeline_phases *phases)
{
    for (size_t i = 0; i < phases->nr; i++) {
        size_t k = 0;

        while (k < i && !same_kind(search, &phases->phase[k], &phases->phase[i]))
            k++;
        phases->phase[i].kind = k < i ? phases->phase[k].kind : phases->kind_nr++;
    }
}

void timeline_find_phases(const struct timeline *timeline, struct timeline_phases *phases)
{
    struct search search;
    size_t *boundary;

    *phases = (struct timeline_phases){0};
    if (!timeline->bin_nr)
        return;
    search_open(timeline, &search);
    phases->nr = boundaries(&search, &boundary) - 1;
    phases->phase = xcalloc(phases->nr, sizeof(*phases->phase));
    for (size_t i = 0; i < phases->nr; i++)
        fill_phase(&search, boundary[i], boundary[i + 1], &phases->phase[i]);
    join_neighbours(&search, phases);
    name_kinds(&search, phases);
    free(boundary);
    search_close(&search);
}

void timeline_phases_release(struct timeline_phases *phases)
{
    for (size_t i = 0; i < phases->nr; i++)
        free(phases->phase[i].mean);
    free(phases->phase);
    *phases = (struct timeline_phases){0};
}
