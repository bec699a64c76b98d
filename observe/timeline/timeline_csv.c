#include "observe/timeline/timeline_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
                      "kind", kinds[event->kind], "grain", event->grain, "happenings",
                      event->happenings, "stock", event->stock));
    }
    return json_pack(
        "{s:s, s:s?, s:s?, s:f, s:o, s:o, s:o}", "schema", name, "program",
        timeline->program, "end", timeline->end, "interval_s", timeline->interval_s,
        "own_cpu_s",
        json_number_or_null(timeline->own_cpu_s < 0 ? NAN : timeline->own_cpu_s),
        "events", events, "notes",
        json_strings((const char *const *)timeline->note.v, timeline->note.nr));
}

static void add_quoted(struct buf *out, const char *text)
{
    buf_add(out, ",\"");
    for (; *text; text++)
        buf_add_n(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    buf_add(out, "\"");
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

        add_quoted(out, title);
        if (is_multiplexed(timeline, i))
            add_quoted(out, share);
        free(title);
        free(share);
    }
    buf_add(out, "\n");
}

static void add_bin(const struct timeline *timeline, const bool *multiplexed, size_t k,
                    struct buf *out)
{
    const struct timeline_bin *bin = &timeline->bin[k];

    buf_addf(out, "%.7f,%.7f,%zu", bin->from_s, bin->to_s, bin->missed);
    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];

        buf_add(out, ",");
        if (!isnan(event->value[k]))
            buf_addf(out, "%.9g", event->value[k]);
        if (multiplexed[i])
            buf_addf(out, ",%.4g", event->share[k]);
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
    const char *file, *rest;
    int line;
    struct strvec field; /* of the line */
    struct timeline *timeline;
    struct column {
        size_t event;
        bool share;
    } * column; /* behind the first three */
    size_t column_nr;
};

static int bad(const struct reader *reader, struct error *err, const char *problem,
               const char *text)
{
    return fail(err, STATUS_INPUT, "%s:%d: %s '%.80s'", reader->file, reader->line,
                problem, text);
}

/* The field at *at, quoted or not; *at then stands at its comma or the line's end. */
static void take_field(const char **at, struct buf *out)
{
    const char *text = *at;
    bool quoted = *text == '"';

    for (text += quoted; *text && *text != '\n'; text++) {
        if (quoted && *text == '"' && text[1] != '"') {
            text++;
            break;
        }
        if (quoted && *text == '"')
            text++;
        else if (!quoted && *text == ',')
            break;
        if (*text != '\r')
            buf_add_n(out, text, 1);
    }
    *at = text + strcspn(text, ",\n");
}

/* False at the end. */
static bool next_line(struct reader *reader)
{
    struct buf field = {0};

    strvec_release(&reader->field);
    if (!*reader->rest)
        return false;
    reader->line++;
    for (bool more = true; more;) {
        buf_reset(&field);
        take_field(&reader->rest, &field);
        strvec_push(&reader->field, buf_str(&field));
        more = *reader->rest == ',';
        reader->rest += *reader->rest != '\0';
    }
    buf_release(&field);
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
        json_number_at(at, "grain", 0, 1e30, &event.grain, err) ||
        json_bool_at(at, "happenings", &event.happenings, err) ||
        json_bool_at(at, "stock", &event.stock, err))
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

    if (json_read_text(text, reader->file, schema, &root, err))
        return -1;
    top = json_top(reader->file, root);
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
    char *text;
    size_t length = strcspn(reader->rest, "\n");
    int result;

    if (strncmp(reader->rest, "# {", 3) != 0)
        return 0;
    text = xstrndup(reader->rest + 2, length - 2);
    result = read_about(reader, text, err);
    free(text);
    reader->rest += length + (reader->rest[length] == '\n');
    reader->line++;
    return result;
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
            result = bad(reader, err, "a share without its event:", title);
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
                    "%s:%d: no time line: its columns must begin with "
                    "from_s,to_s,missed, as 'inflight profile --timeline 10ms --csv' "
                    "writes them",
                    reader->file, reader->line ? reader->line : 1);
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
        return bad(reader, err, "not a number:", text);
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
        return fail(err, STATUS_INPUT, "%s:%d: %zu fields instead of %zu", reader->file,
                    reader->line, reader->field.nr, reader->column_nr + 3);
    if (read_number(reader, reader->field.v[0], &from, err) ||
        read_number(reader, reader->field.v[1], &to, err) ||
        read_number(reader, reader->field.v[2], &missed, err))
        return -1;
    if (!(to > from) || (before && from < before->to_s) || missed < 0)
        return bad(reader, err, "time does not go on:", reader->field.v[0]);
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
    struct reader reader = {.file = name, .rest = text, .timeline = timeline};
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
    free(reader.column);
    return result;
}

int timeline_csv_read(const char *path, struct timeline *timeline, struct error *err)
{
    struct buf text = {0};
    int result = -1;

    *timeline = (struct timeline){0};
    if (file_read_most(path, GZ_LIMIT_BYTES, &text, err) == 0)
        result = timeline_csv_parse(path, buf_str(&text), timeline, err);
    buf_release(&text);
    return result;
}
