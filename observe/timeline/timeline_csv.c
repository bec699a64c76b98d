#include "observe/timeline/timeline_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "observe/timeline/timeline.h"

static const char schema[] = "inflight.timeline-csv/1";
static const char *const kinds[] = {
    [TIMELINE_COUNT] = "count", [TIMELINE_LEVEL] = "level"};

json_t *timeline_about_json(const struct timeline *timeline, const char *name)
{
    json_t *events = json_array();

    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];

        json_array_append_new(
            events, json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", event->name, "label",
                              event->label, "unit", event->unit, "source", event->source,
                              "kind", kinds[event->kind]));
    }
    return json_pack(
        "{s:s, s:s?, s:s?, s:f, s:o, s:o, s:o}", "schema", name, "program",
        timeline->program, "end", timeline->end, "interval_s", timeline->interval_s,
        "own_cpu_s",
        json_number_or_null(timeline->own_cpu_s < 0 ? NAN : timeline->own_cpu_s),
        "events", events, "notes", json_strvec(&timeline->note));
}

static bool is_multiplexed(const struct timeline *timeline, size_t event)
{
    for (size_t i = 0; i < timeline->bin_nr; i++)
        if (timeline->event[event].share[i] < 1)
            return true;
    return false;
}

static void add_header(const struct timeline *timeline, struct buf *out)
{
    buf_add(out, "from_s,to_s,missed");
    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];
        char *title = xasprintf("%s [%s]", event->name, event->unit);
        char *share = xasprintf("%s share", event->name);

        buf_add(out, ",");
        csv_add_quoted(out, title);
        if (is_multiplexed(timeline, i)) {
            buf_add(out, ",");
            csv_add_quoted(out, share);
        }
        free(title);
        free(share);
    }
    buf_add(out, "\n");
}

static void add_bin(const struct timeline *timeline, const bool *multiplexed, size_t k,
                    struct buf *out)
{
    const struct timeline_bin *bin = &timeline->bin[k];

    buf_addf(out, "%.9f,%.9f,%zu", bin->from_s, bin->to_s, bin->missed);
    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];

        buf_add(out, ",");
        if (!isnan(event->value[k]))
            buf_addf(out, "%.15g", event->value[k]);
        if (multiplexed[i])
            buf_addf(out, ",%.9g", event->share[k]);
    }
    buf_add(out, "\n");
}

void timeline_csv_text(const struct timeline *timeline, struct buf *out)
{
    bool *multiplexed = xcalloc(timeline->event_nr + 1, sizeof(*multiplexed));
    json_t *about = timeline_about_json(timeline, schema);
    char *line = json_dumps(about, JSON_COMPACT | JSON_REAL_PRECISION(10));

    for (size_t i = 0; i < timeline->event_nr; i++)
        multiplexed[i] = is_multiplexed(timeline, i);
    buf_addf(out, "# %s\n", line);
    add_header(timeline, out);
    for (size_t k = 0; k < timeline->bin_nr; k++)
        add_bin(timeline, multiplexed, k, out);
    free(line);
    json_decref(about);
    free(multiplexed);
}

int timeline_csv_write(const struct timeline *timeline, const char *path,
                       struct error *err)
{
    struct buf text = {0};
    int result;

    timeline_csv_text(timeline, &text);
    result = file_write(path, buf_str(&text), text.length, err);
    buf_release(&text);
    return result;
}
