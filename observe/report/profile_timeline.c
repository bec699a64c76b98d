/* inflight profile --timeline TIME: an application over time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "core/base/error.h"
#include "core/occupancy/occupancy.h"
#include "observe/report/timeline_show.h"

/* ---- json ---- */

/* A time line, and what it can show, as JSON. */

static const char *const kinds[] = {
    [TIMELINE_COUNT] = "count", [TIMELINE_LEVEL] = "level"};

static json_t *events_json(const struct timeline *timeline)
{
    json_t *events = json_array();
    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];
        json_array_append_new(
            events, json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", event->name, "label",
                              event->label, "unit", event->unit, "source", event->source,
                              "kind", kinds[event->kind]));
    }
    return events;
}

static json_t *column(const double *value, size_t nr)
{
    json_t *list = json_array();
    for (size_t i = 0; i < nr; i++)
        json_array_append_new(list, json_number_or_null(value[i]));
    return list;
}

/* null where it counted all the time. */
static json_t *shares(const struct timeline_event *event, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (event->share[i] < 1)
            return column(event->share, nr);
    return json_null();
}

static json_t *bins_json(const struct timeline *timeline)
{
    json_t *from = json_array(), *to = json_array(), *missed = json_array();
    json_t *values = json_array(), *share = json_array();
    for (size_t i = 0; i < timeline->bin_nr; i++) {
        json_array_append_new(from, json_real(timeline->bin[i].from_s));
        json_array_append_new(to, json_real(timeline->bin[i].to_s));
        json_array_append_new(missed, json_integer((json_int_t)timeline->bin[i].missed));
    }
    for (size_t i = 0; i < timeline->event_nr; i++) {
        json_array_append_new(values, column(timeline->event[i].value, timeline->bin_nr));
        json_array_append_new(share, shares(&timeline->event[i], timeline->bin_nr));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "from_s", from, "to_s", to, "missed",
                     missed, "values", values, "shares", share);
}

json_t *timeline_json(const struct timeline *timeline)
{
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:o, s:o, s:o}", "schema",
                     "inflight.timeline/1", "program", timeline->program, "end",
                     timeline->end, "interval_s", timeline->interval_s, "own_cpu_s",
                     timeline->own_cpu_s, "events", events_json(timeline), "notes",
                     json_strvec(&timeline->note), "bins", bins_json(timeline));
}

static json_t *timeline_offers_json(const struct timeline_offers *offers)
{
    json_t *list = json_array();
    for (size_t i = 0; i < offers->nr; i++) {
        const struct timeline_offer *offer = &offers->offer[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:b, s:s?}", "name",
                                              offer->wish.event.name, "label",
                                              offer->wish.event.label, "unit",
                                              offer->wish.event.unit, "source",
                                              offer->wish.event.source, "shown",
                                              offer->shown, "why_not", offer->why));
    }
    return json_pack("{s:s, s:o, s:o}", "schema", "inflight.timeline-offers/1", "events",
                     list, "notes", json_strvec(&offers->note));
}

/* ---- list ---- */

/* What a time line can show on this machine. */

static const char *state_of(const struct timeline_offer *offer)
{
    return offer->why ? "no" : offer->shown ? "shown" : "asked";
}

/* The reasons, each once, with the events it keeps away. */
static void add_reasons(const struct timeline_offers *offers, struct buf *out)
{
    for (size_t i = 0; i < offers->nr; i++) {
        const char *why = offers->offer[i].why;
        struct buf line = {0};
        bool reported = false;
        for (size_t k = 0; why && k < i && !reported; k++)
            reported = offers->offer[k].why && !strcmp(offers->offer[k].why, why);
        if (!why || reported)
            continue;
        buf_addf(&line, "* %s: %s", offers->offer[i].wish.event.name, why);
        buf_add_wrapped(out, buf_str(&line), 2, 79);
        buf_add(out, "\n");
        buf_release(&line);
    }
}

/* What 'inflight profile --timeline TIME --list' prints, as text or as JSON. */
static void timeline_offers_text(const struct timeline_offers *offers, struct buf *out)
{
    buf_addf(out, "%-32s %-20s %-7s %s\n", "event", "called", "unit", "here");
    for (size_t i = 0; i < offers->nr; i++) {
        const struct timeline_event *event = &offers->offer[i].wish.event;
        buf_addf(out, "%-32s %-20s %-7s %s\n", event->name, event->label, event->unit,
                 state_of(&offers->offer[i]));
    }
    buf_add(out, "\nshown: by default; asked: with --events, for a list of names with "
                 "commas\nbetween them; no: does not count here, because:\n");
    add_reasons(offers, out);
    for (size_t i = 0; i < offers->note.nr; i++) {
        struct buf line = {0};
        buf_addf(&line, "* %s", offers->note.v[i]);
        buf_add_wrapped(out, buf_str(&line), 2, 79);
        buf_add(out, "\n");
        buf_release(&line);
    }
}

/* ---- occupancy ---- */

/* Misses in flight over time: bandwidth x latency at that bandwidth, per busy core. */

static const double busy_min = 0.1;

static double at(const struct timeline_event *event, size_t bin)
{
    return event ? event->value[bin] : NAN;
}

static double in_flight(const struct machine *machine, double read_gbs,
                        double written_gbs, double busy)
{
    double written = isnan(written_gbs) ? 0 : written_gbs, gbs = read_gbs + written;
    struct quantity latency;
    if (isnan(gbs) || !(busy >= busy_min) || !(gbs > 0))
        return NAN;
    latency = machine_latency_ns(machine, gbs, read_gbs / gbs);
    if (!latency.known)
        return NAN;
    return occupancy_paper_n(gbs, latency.value, machine_transfer_bytes(machine), 1) /
           busy;
}

void timeline_add_occupancy(struct timeline *timeline, const struct machine *machine)
{
    if (!timeline_find(timeline, "memory:::read"))
        return;
    struct timeline_event event = {.name = (char[]){"occupancy:::in_flight"},
                                   .label = (char[]){"misses in flight"},
                                   .unit = (char[]){"a core"},
                                   .source = (char[]){"memory x latency"},
                                   .kind = TIMELINE_LEVEL,
                                   .factor = 1};
    size_t place = timeline_add_event(timeline, &event);
    const struct timeline_event *read = timeline_find(timeline, "memory:::read");
    const struct timeline_event *written = timeline_find(timeline, "memory:::written");
    const struct timeline_event *busy = timeline_find(timeline, "perf::TASK-CLOCK");
    if (!busy)
        busy = timeline_find(timeline, "proc:::cpu");
    for (size_t i = 0; i < timeline->bin_nr; i++)
        timeline->event[place].value[i] =
            in_flight(machine, at(read, i), at(written, i), at(busy, i));
}

/* ---- profile timeline ---- */

static const double interval_min_s = 1e-3, interval_max_s = 3600;

static int list_events(const struct settings *settings, struct error *err)
{
    struct timeline_offers offers;
    int status = timeline_offers_find(NULL, &offers, err);
    if (!status) {
        timeline_offers_add_papi(&offers);
        if (settings->json) {
            json_t *document = timeline_offers_json(&offers);
            status = print_json(document, err);
            json_decref(document);
        } else {
            struct buf text = {0};
            timeline_offers_text(&offers, &text);
            status = print_text(buf_str(&text), err);
            buf_release(&text);
        }
    }
    timeline_offers_release(&offers);
    return status;
}

static int check_settings(const struct settings *settings, struct error *err)
{
    if (settings->regions)
        return fail(err, STATUS_USAGE,
                    "--regions shows marked regions, not a program over time; leave "
                    "--timeline out");
    if (!settings->program.nr)
        return fail(err, STATUS_USAGE,
                    "profile --timeline takes a program: inflight profile --timeline "
                    "10ms -- PROGRAM [arguments]");
    if (settings->timeline_s < interval_min_s || settings->timeline_s > interval_max_s)
        return fail(err, STATUS_USAGE, "--timeline: the interval must be 1ms to 1h");
    return 0;
}

/* Without a profile, one sentence; with one that was asked for, a failure. */
static int add_occupancy(const struct settings *settings, struct timeline *timeline,
                         struct error *err)
{
    struct machine machine = {0};
    struct error why = {0};
    int status = 0;
    if (!timeline_find(timeline, "memory:::read"))
        return 0;
    if (!profile_load(settings->machine ? settings->machine : "here", settings->memory,
                      &machine, &why))
        timeline_add_occupancy(timeline, &machine);
    else if (settings->machine)
        status = fail(err, why.status, "%s", why.text);
    else
        strvec_pushf(&timeline->note, "misses in flight are not shown: %s", why.text);
    machine_release(&machine);
    return status;
}

static int print(const struct settings *settings, const struct timeline *timeline,
                 struct error *err)
{
    int status;
    if (settings->json) {
        json_t *document = timeline_json(timeline);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    struct buf text = {0};
    timeline_text(timeline, term_utf8(), &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static bool wants_default(const char *events)
{
    return !events || !strcmp(events, "auto");
}

static int run(const struct settings *settings, struct timeline *timeline,
               struct spawn_outcome *outcome, struct error *err)
{
    struct timeline_run_opts opts = {
        .argv = (const char *const *)settings->program.v,
        .interval_s = settings->timeline_s,
        .events = wants_default(settings->events) ? NULL : settings->events,
        .out_to_err = settings->json};
    spawn_catch_interrupt();
    return timeline_run(&opts, timeline, outcome, err);
}

/* What the program did until it failed has been reported. */
static int judge(const struct timeline *timeline, const struct spawn_outcome *outcome,
                 struct error *err)
{
    bool failed = outcome->end == SPAWN_SIGNALLED ||
                  (outcome->end == SPAWN_EXITED && outcome->code != 0);
    return failed ? fail(err, STATUS_FAILED,
                         "the program failed (%s); the time line covers what it did "
                         "until then",
                         timeline->end)
                  : 0;
}

int profile_timeline(const struct settings *settings, struct error *err)
{
    struct timeline timeline = {0};
    struct spawn_outcome outcome = {0};
    int status;
    if (settings->list)
        return list_events(settings, err);
    if (check_settings(settings, err))
        return -1;
    status = run(settings, &timeline, &outcome, err);
    if (!status)
        status = add_occupancy(settings, &timeline, err);
    if (!status)
        status = print(settings, &timeline, err);
    if (!status)
        status = judge(&timeline, &outcome, err);
    spawn_outcome_release(&outcome);
    timeline_release(&timeline);
    return status;
}
