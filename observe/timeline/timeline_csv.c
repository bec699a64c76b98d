#include "observe/timeline/timeline_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "observe/timeline/timeline.h"

static const char schema[] = "inflight.timeline-csv/1";
static const char *const kinds[] = {
    [TIMELINE_COUNT] = "count", [TIMELINE_LEVEL] = "level"};

/*
 * Writing.
 */

json_t *timeline_about_json(const struct timeline *timeline, const char *name)
{
    json_t *events = json_array();

    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];

        json_array_append_new(
            events,
            json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:b, s:b}", "name", event->name,
                      "label", event->label, "unit", event->unit, "source", event->source,
                      "kind", kinds[event->kind], "grain", event->resolution,
                      "happenings", event->discrete, "stock", event->gauge));
    }
    return json_pack(
        "{s:s, s:s?, s:s?, s:f, s:o, s:o, s:o}", "schema", name, "program",
        timeline->program, "end", timeline->end, "interval_s", timeline->interval_s,
        "own_cpu_s",
        json_number_or_null(timeline->own_cpu_s < 0 ? NAN : timeline->own_cpu_s),
        "events", events, "notes",
        json_strings((const char *const *)timeline->note.v, timeline->note.nr));
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

/* In as many digits as what is shown again needs to be the same. */
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

/*
 * Reading.
 */

struct reader {
    struct csv_lines lines;
    struct strvec field; /* of the line */
    struct timeline *timeline;
    struct column {
        size_t event;
        bool share;
    } * column; /* behind the first three */
    size_t column_nr;
};

/* False at the end. */
static bool next_line(struct reader *reader)
{
    strvec_release(&reader->field);
    if (!csv_next(&reader->lines))
        return false;
    csv_fields(buf_str(&reader->lines.line), ',', &reader->field);
    return true;
}

static int read_event(const struct json_at *at, struct timeline *timeline,
                      struct error *err)
{
    const char *name, *label, *unit, *source, *kind;
    struct timeline_event event = {.factor = 1};

    if (json_only_keys(at, "name label unit source kind grain happenings stock", err) ||
        json_string_at(at, "name", &name, err) ||
        json_string_at(at, "label", &label, err) ||
        json_string_at(at, "unit", &unit, err) ||
        json_string_at(at, "source", &source, err) ||
        json_string_at(at, "kind", &kind, err) ||
        json_number_at(at, "grain", 0, 1e30, &event.resolution, err) ||
        json_bool_at(at, "happenings", &event.discrete, err) ||
        json_bool_at(at, "stock", &event.gauge, err))
        return -1;
    event.name = (char *)(uintptr_t)name;
    event.label = (char *)(uintptr_t)label;
    event.unit = (char *)(uintptr_t)unit;
    event.source = (char *)(uintptr_t)source;
    event.kind = strcmp(kind, kinds[TIMELINE_LEVEL]) ? TIMELINE_COUNT : TIMELINE_LEVEL;
    timeline_add_event(timeline, &event);
    return 0;
}

static int read_words(const struct json_at *top, struct timeline *timeline,
                      struct error *err)
{
    const char *word;

    if (json_has(top, "program")) {
        if (json_string_at(top, "program", &word, err))
            return -1;
        timeline->program = xstrdup(word);
    }
    if (json_has(top, "end")) {
        if (json_string_at(top, "end", &word, err))
            return -1;
        timeline->end = xstrdup(word);
    }
    timeline->own_cpu_s = -1;
    if (json_has(top, "own_cpu_s") &&
        json_number_at(top, "own_cpu_s", 0, 1e12, &timeline->own_cpu_s, err))
        return -1;
    return json_number_at(top, "interval_s", 0, 1e9, &timeline->interval_s, err);
}

static int read_about(struct reader *reader, const char *text, struct error *err)
{
    json_t *root = NULL;
    struct json_at top, events;
    size_t nr;
    int result;

    if (json_read_text(text, reader->lines.file, schema, &root, err))
        return -1;
    top = json_top(reader->lines.file, root);
    result = read_words(&top, reader->timeline, err) ||
                     json_strings_at(&top, "notes", &reader->timeline->note, err) ||
                     json_array_at(&top, "events", &events, &nr, err)
                 ? -1
                 : 0;
    for (size_t i = 0; result == 0 && i < nr; i++) {
        struct json_at at = json_element(&events, i);

        result = read_event(&at, reader->timeline, err);
    }
    json_decref(root);
    return result;
}

/* The first line, if it says what the columns are. */
static int read_first(struct reader *reader, struct error *err)
{
    if (strncmp(reader->lines.rest, "# {", 3) != 0)
        return 0;
    csv_next(&reader->lines);
    return read_about(reader, buf_str(&reader->lines.line) + 2, err);
}

static bool find_event(const struct timeline *timeline, const char *name, size_t *event)
{
    for (*event = 0; *event < timeline->event_nr; ++*event)
        if (strcmp(timeline->event[*event].name, name) == 0)
            return true;
    return false;
}

/* "NAME [UNIT]" or "NAME share". */
static int read_column(struct reader *reader, const char *title, struct column *column,
                       struct error *err)
{
    const char *bracket = strstr(title, " [");
    size_t length = strlen(title), tail = strlen(" share");
    bool share = length > tail && strcmp(title + length - tail, " share") == 0;
    char *name = xstrndup(title, share     ? length - tail
                                 : bracket ? (size_t)(bracket - title)
                                           : length);
    int result = 0;

    column->share = share;
    if (!find_event(reader->timeline, name, &column->event)) {
        char *unit = bracket ? xstrndup(bracket + 2, strcspn(bracket + 2, "]")) : NULL;
        struct timeline_event event = {.name = name,
                                       .label = name,
                                       .unit = unit ? unit : (char[]){""},
                                       .source = (char[]){"file"},
                                       .factor = 1};

        if (share)
            result = csv_fail(&reader->lines, err, "a share without its event: '%.80s'",
                              title);
        else
            timeline_add_event(reader->timeline, &event);
        free(unit);
    }
    free(name);
    return result;
}

static int read_header(struct reader *reader, struct error *err)
{
    const struct strvec *field = &reader->field;

    if (!next_line(reader) || field->nr < 3 || strcmp(field->v[0], "from_s") ||
        strcmp(field->v[1], "to_s") || strcmp(field->v[2], "missed"))
        return fail(err, STATUS_INPUT,
                    "%s:%d: not a time line: its columns must begin with "
                    "from_s,to_s,missed, as 'inflight profile --timeline 10ms --csv' "
                    "writes them",
                    reader->lines.file, reader->lines.nr ? reader->lines.nr : 1);
    reader->column_nr = field->nr - 3;
    reader->column = xcalloc(reader->column_nr + 1, sizeof(*reader->column));
    for (size_t i = 0; i < reader->column_nr; i++)
        if (read_column(reader, field->v[i + 3], &reader->column[i], err))
            return -1;
    return 0;
}

static int read_number(const struct reader *reader, const char *text, double *number,
                       struct error *err)
{
    char *end;

    *number = strtod(text, &end);
    if (end == text || *end || !isfinite(*number))
        return csv_fail(&reader->lines, err, "not a number: '%.80s'", text);
    return 0;
}

static int read_values(struct reader *reader, size_t bin, struct error *err)
{
    struct timeline *timeline = reader->timeline;

    for (size_t i = 0; i < timeline->event_nr; i++) {
        timeline->event[i].value[bin] = NAN;
        timeline->event[i].share[bin] = 1;
    }
    for (size_t i = 0; i < reader->column_nr; i++) {
        struct timeline_event *event = &timeline->event[reader->column[i].event];
        const char *text = reader->field.v[i + 3];

        if (*text &&
            read_number(reader, text,
                        reader->column[i].share ? &event->share[bin] : &event->value[bin],
                        err))
            return -1;
    }
    return 0;
}

static int read_bin(struct reader *reader, struct error *err)
{
    struct timeline *timeline = reader->timeline;
    const struct timeline_bin *before =
        timeline->bin_nr ? &timeline->bin[timeline->bin_nr - 1] : NULL;
    double from, to, missed;

    if (reader->field.nr != reader->column_nr + 3)
        return csv_fail(&reader->lines, err, "%zu fields instead of %zu",
                        reader->field.nr, reader->column_nr + 3);
    if (read_number(reader, reader->field.v[0], &from, err) ||
        read_number(reader, reader->field.v[1], &to, err) ||
        read_number(reader, reader->field.v[2], &missed, err))
        return -1;
    if (!(to > from) || (before && from < before->to_s) || missed < 0)
        return csv_fail(&reader->lines, err, "time does not go on: '%.80s'",
                        reader->field.v[0]);
    timeline_add_bin(timeline, (struct timeline_bin){from, to, (size_t)missed});
    return read_values(reader, timeline->bin_nr - 1, err);
}

/* Where no first line said it: the usual length. */
static void guess_interval(struct timeline *timeline)
{
    double *length = xcalloc(timeline->bin_nr + 1, sizeof(*length));

    for (size_t i = 0; i < timeline->bin_nr; i++)
        length[i] = timeline->bin[i].to_s - timeline->bin[i].from_s;
    if (!(timeline->interval_s > 0))
        timeline->interval_s = median_sorting(length, timeline->bin_nr);
    free(length);
}

int timeline_csv_parse(const char *name, const char *text, struct timeline *timeline,
                       struct error *err)
{
    struct reader reader = {.lines = {.file = name, .rest = text}, .timeline = timeline};
    int result;

    *timeline = (struct timeline){.own_cpu_s = -1};
    result = read_first(&reader, err) || read_header(&reader, err) ? -1 : 0;
    while (result == 0 && next_line(&reader))
        if (reader.field.nr > 1 || *reader.field.v[0])
            result = read_bin(&reader, err);
    if (result == 0 && !timeline->bin_nr)
        result = fail(err, STATUS_INPUT, "%s: the time line has no readings", name);
    if (result == 0)
        guess_interval(timeline);
    strvec_release(&reader.field);
    buf_release(&reader.lines.line);
    free(reader.column);
    return result;
}

int timeline_csv_read(const char *path, struct timeline *timeline, struct error *err)
{
    struct buf text = {0};
    int result = -1;

    *timeline = (struct timeline){0};
    if (file_read_max(path, GZ_LIMIT_BYTES, &text, err) == 0)
        result = timeline_csv_parse(path, buf_str(&text), timeline, err);
    buf_release(&text);
    return result;
}
