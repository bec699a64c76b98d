/* A time line, and what it can show, as JSON. */
#include <math.h>

#include "observe/report/timeline_show.h"

static json_t *phase_json(const struct timeline *timeline,
                          const struct timeline_phase *phase)
{
    json_t *means = json_array();
    char name[8];
    for (size_t i = 0; i < timeline->event_nr; i++)
        json_array_append_new(means, json_number_or_null(phase->mean[i]));
    return json_pack("{s:s, s:f, s:f, s:o}", "name",
                     timeline_phase_name(phase->kind, name), "from_s", phase->from_s,
                     "to_s", phase->to_s, "means", means);
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

json_t *timeline_json(const struct timeline *timeline,
                      const struct timeline_phases *phases)
{
    json_t *document = timeline_about_json(timeline, "inflight.timeline/1");
    json_t *list = json_array();
    for (size_t i = 0; i < phases->nr; i++)
        json_array_append_new(list, phase_json(timeline, &phases->phase[i]));
    json_object_set_new(document, "phases", list);
    json_object_set_new(document, "bins", bins_json(timeline));
    return document;
}

json_t *timeline_offers_json(const struct timeline_offers *offers)
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
                     list, "notes",
                     json_strings((const char *const *)offers->note.v, offers->note.nr));
}
