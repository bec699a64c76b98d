#include "observe/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void release_event(struct timeline_event *event)
{
    free(event->name);
    free(event->label);
    free(event->unit);
    free(event->source);
    free(event->value);
    free(event->share);
}

void timeline_release(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->event_nr; i++)
        release_event(&timeline->event[i]);
    free(timeline->event);
    free(timeline->bin);
    free(timeline->program);
    free(timeline->end);
    strvec_release(&timeline->note);
    *timeline = (struct timeline){0};
}

/* Room of an event for all bins there is room for. */
static void make_room(const struct timeline *timeline, struct timeline_event *event)
{
    size_t room = timeline->bin_alloc + 1;

    event->value = xrealloc(event->value, room, sizeof(*event->value));
    event->share = xrealloc(event->share, room, sizeof(*event->share));
}

size_t timeline_add_event(struct timeline *timeline, const struct timeline_event *event)
{
    struct timeline_event *added;

    GROW(timeline->event, timeline->event_nr + 1, timeline->event_alloc);
    added = &timeline->event[timeline->event_nr];
    *added = (struct timeline_event){.name = xstrdup(event->name),
                                     .label = xstrdup(event->label),
                                     .unit = xstrdup(event->unit),
                                     .source = xstrdup(event->source),
                                     .kind = event->kind,
                                     .factor = event->factor};
    make_room(timeline, added);
    for (size_t i = 0; i < timeline->bin_nr; i++) {
        added->value[i] = NAN;
        added->share[i] = 1;
    }
    return timeline->event_nr++;
}

/*
 * Readings.
 */

static double grown(struct timeline_event *event, double value, double at_s)
{
    double last = event->last.value, seconds = at_s - event->last_at_s;

    if (!event->last.known || !(seconds > 0))
        return NAN;
    if (value < last) {
        if (event->backward_nr++ == 0) {
            event->backward_at_s = at_s;
            event->backward_from = last;
            event->backward_to = value;
        }
        return NAN;
    }
    return (value - last) / seconds * event->factor;
}

static double value_of(struct timeline_event *event, const struct timeline_reading *now,
                       double at_s)
{
    double value;

    if (!now->known)
        return NAN;
    value = event->kind == TIMELINE_LEVEL ? now->value * event->factor
                                          : grown(event, now->value, at_s);
    event->last = *now;
    event->last_at_s = at_s;
    return value;
}

static void add_bin(struct timeline *timeline, struct timeline_bin bin)
{
    size_t room = timeline->bin_alloc;

    GROW(timeline->bin, timeline->bin_nr + 1, timeline->bin_alloc);
    if (timeline->bin_alloc != room)
        for (size_t i = 0; i < timeline->event_nr; i++)
            make_room(timeline, &timeline->event[i]);
    timeline->bin[timeline->bin_nr++] = bin;
}

/* Of two neighbours, by their length; one that is unknown takes the other's. */
static double merged(const struct timeline_bin *bin, const double *value)
{
    double first = bin[0].to_s - bin[0].from_s, second = bin[1].to_s - bin[1].from_s;

    if (isnan(value[0]) || isnan(value[1]))
        return isnan(value[0]) ? value[1] : value[0];
    return (value[0] * first + value[1] * second) / (first + second);
}

/* Puts the bins k and k + 1 together, at place `to`. */
static void merge(struct timeline *timeline, size_t k, size_t to)
{
    struct timeline_bin *bin = &timeline->bin[k];

    for (size_t i = 0; i < timeline->event_nr; i++) {
        struct timeline_event *event = &timeline->event[i];

        event->value[to] = merged(bin, &event->value[k]);
        event->share[to] = fmin(event->share[k], event->share[k + 1]);
    }
    timeline->bin[to] =
        (struct timeline_bin){bin[0].from_s, bin[1].to_s, bin[0].missed + bin[1].missed};
}

static void halve(struct timeline *timeline)
{
    size_t nr = timeline->bin_nr / 2;

    for (size_t k = 0; k < nr; k++)
        merge(timeline, 2 * k, k);
    timeline->bin_nr = nr;
    timeline->interval_s *= 2;
    strvec_pushf(&timeline->note,
                 "after %.0f s there were %d readings: neighbours are merged, and from "
                 "there on one is taken every %g ms",
                 timeline->began_s, TIMELINE_BINS_MAX, timeline->interval_s * 1e3);
}

static void take(struct timeline *timeline, double at_s, size_t bin,
                 const struct timeline_reading *reading)
{
    for (size_t i = 0; i < timeline->event_nr; i++) {
        struct timeline_event *event = &timeline->event[i];
        const struct timeline_reading *now = &reading[i];
        double value = value_of(event, now, at_s);

        if (bin == (size_t)-1)
            continue;
        event->value[bin] = value;
        event->share[bin] = now->known && now->share > 0 ? now->share : 1;
    }
}

void timeline_take(struct timeline *timeline, double at_s, size_t missed,
                   const struct timeline_reading *reading)
{
    size_t bin = (size_t)-1;

    if (at_s > timeline->began_s) {
        if (timeline->bin_nr == TIMELINE_BINS_MAX)
            halve(timeline);
        bin = timeline->bin_nr;
        add_bin(timeline, (struct timeline_bin){timeline->began_s, at_s, missed});
    }
    take(timeline, at_s, bin, reading);
    timeline->began_s = at_s;
}

void timeline_fold_last(struct timeline *timeline)
{
    const struct timeline_bin *last;

    if (timeline->bin_nr < 2)
        return;
    last = &timeline->bin[timeline->bin_nr - 1];
    if (last->to_s - last->from_s >= timeline->interval_s / 2)
        return;
    merge(timeline, timeline->bin_nr - 2, timeline->bin_nr - 2);
    timeline->bin_nr--;
}

void timeline_note_backwards(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];

        if (!event->backward_nr)
            continue;
        strvec_pushf(&timeline->note,
                     "'%s' ran backwards %zu times, first at %.3f s from %.0f to %.0f (a "
                     "counter that wraps, or one that somebody resets): unknown there",
                     event->name, event->backward_nr, event->backward_at_s,
                     event->backward_from, event->backward_to);
    }
}

/*
 * Looking at it.
 */

double timeline_mean(const struct timeline *timeline, size_t event, size_t from,
                     size_t to)
{
    const double *value = timeline->event[event].value;
    double sum = 0, seconds = 0;

    for (size_t i = from; i < to; i++) {
        double length = timeline->bin[i].to_s - timeline->bin[i].from_s;

        if (isnan(value[i]))
            continue;
        sum += value[i] * length;
        seconds += length;
    }
    return seconds > 0 ? sum / seconds : NAN;
}

double timeline_seconds(const struct timeline *timeline)
{
    return timeline->bin_nr ? timeline->bin[timeline->bin_nr - 1].to_s : 0;
}

size_t timeline_missed(const struct timeline *timeline)
{
    size_t missed = 0;

    for (size_t i = 0; i < timeline->bin_nr; i++)
        missed += timeline->bin[i].missed;
    return missed;
}

const struct timeline_event *timeline_find(const struct timeline *timeline,
                                           const char *name)
{
    for (size_t i = 0; i < timeline->event_nr; i++)
        if (strcmp(timeline->event[i].name, name) == 0)
            return &timeline->event[i];
    return NULL;
}
