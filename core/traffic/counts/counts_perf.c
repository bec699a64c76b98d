/*
 * perf stat -x: [interval,][place,[members,]]value,unit,event,[group,][variance%,]
 * running time,percent,[metric,unit]
 */
#include "core/traffic/counts/counts_perf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Also one with a decimal comma: it is refused later, with the remedy. */
static bool is_value(const char *text)
{
    return *text == '<' ||
           (isdigit((unsigned char)*text) && !text[strspn(text, "0123456789.,eE+-")]);
}

/* "CPU0", "S0-D0-C1", "N1", a thread "name-123". */
bool perf_is_place(const char *text)
{
    size_t length = strlen(text), digits = 0;
    while (digits < length && isdigit((unsigned char)text[length - 1 - digits]))
        digits++;
    bool thread = digits && digits < length && text[length - 1 - digits] == '-';
    return thread || (length > 1 && strchr("CSND", *text) && digits);
}

/* Seconds with nine digits behind the point, as -I writes them. */
bool perf_is_interval(const char *text)
{
    const char *dot = strchr(text, '.');
    size_t whole = strspn(text, "0123456789");
    return dot && whole && text + whole == dot && strlen(dot + 1) == 9 &&
           strspn(dot + 1, "0123456789") == 9;
}

struct columns {
    const struct strvec *field;
    size_t at;
};

static const char *field_at(const struct columns *columns, size_t ahead)
{
    size_t i = columns->at + ahead;
    return i < columns->field->nr ? columns->field->v[i] : "";
}

/* Skips what stands before the value; false if there is no value. */
static bool find_value(struct columns *columns, struct perf_row *row)
{
    if (perf_is_interval(field_at(columns, 0)) &&
        (is_value(field_at(columns, 1)) || perf_is_place(field_at(columns, 1))))
        row->interval_s = strtod(columns->field->v[columns->at++], NULL);
    if (!is_value(field_at(columns, 0)) && perf_is_place(field_at(columns, 0)))
        row->place = columns->field->v[columns->at++];
    if (row->place && is_value(field_at(columns, 0)) && is_value(field_at(columns, 1)))
        columns->at++;
    return is_value(field_at(columns, 0));
}

bool counts_is_perf_row(const struct strvec *field)
{
    struct columns columns = {field, 0};
    struct perf_row row = {0};
    return field->nr >= 4 && find_value(&columns, &row);
}

/* "imc/event=0x4,umask=0x3/" holds the separator: its pieces are put together again. */
static char *event_of(struct columns *columns, char separator)
{
    struct buf event = {0};
    const char *slash = strchr(field_at(columns, 0), '/');
    buf_add(&event, field_at(columns, 0));
    bool open = slash && !strchr(slash + 1, '/');
    for (columns->at++; open && columns->at < columns->field->nr; columns->at++) {
        buf_addf(&event, "%c%s", separator, field_at(columns, 0));
        open = !strchr(field_at(columns, 0), '/');
    }
    return buf_detach(&event);
}

/* Behind the event: a control group, a variance, running time and percent, a metric. */
static void take_rest(struct columns *columns, struct perf_row *row)
{
    size_t nr = columns->field->nr;
    for (; columns->at < nr; columns->at++) {
        const char *text = field_at(columns, 0);
        if (strchr(text, '%'))
            row->variance = text;
        else if (is_value(text))
            break;
    }
    if (columns->at + 1 < nr)
        row->percent = field_at(columns, 1);
    if (columns->at + 3 < nr) {
        row->metric = field_at(columns, 2);
        row->measure = field_at(columns, 3);
    }
}

/* Rows of a metric alone have neither value nor event. */
static bool is_metric_row(const struct strvec *field)
{
    size_t empty = 0;
    while (empty < field->nr && (!*field->v[empty] || perf_is_interval(field->v[empty]) ||
                                 perf_is_place(field->v[empty])))
        empty++;
    return empty >= 3;
}

static int take_fields(struct perf_rows *rows, const struct strvec *field, char separator,
                       struct error *err)
{
    struct columns columns = {field, 0};
    struct perf_row row = {0};
    if (is_metric_row(field))
        return 0;
    if (field->nr < 4 || !find_value(&columns, &row))
        return csv_fail(&rows->lines, err,
                        "expected a row of 'perf stat -x%c' (value, unit, "
                        "event, ...), got '%s'",
                        separator, buf_str(&rows->lines.line));
    row.value = field_at(&columns, 0);
    row.unit = field_at(&columns, 1);
    if (!row.interval_s && *row.unit && is_value(row.unit))
        return csv_fail(&rows->lines, err,
                        "the numbers have decimal commas; run perf with LC_ALL=C "
                        "and -x,");
    columns.at += 2;
    char *event = event_of(&columns, separator);
    row.event = event;
    take_rest(&columns, &row);
    int status = perf_rows_take(rows, &row, err);
    free(event);
    return status;
}

int counts_read_perf(const char *name, const char *text, struct count_set *set,
                     struct error *err)
{
    struct perf_rows rows = {.lines = {.file = name, .rest = text}};
    char separator = 0;
    int status = 0;
    while (!status && csv_next(&rows.lines)) {
        const char *line = buf_str(&rows.lines.line);
        struct strvec field = {0};
        if (csv_is_blank(line) || *line == '#')
            continue;
        separator = separator ? separator : csv_separator(line);
        csv_fields(line, separator, &field);
        status = take_fields(&rows, &field, separator, err);
        strvec_release(&field);
    }
    if (status)
        perf_rows_release(&rows);
    else
        perf_rows_finish(&rows, set);
    return status;
}
