/*
 * Our own table: event,count[,share[,low,high]], with or without a heading that names the
 * columns. The rows seconds, cores, calls, cpu and source say what the counts cover.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base.h"
#include "core/traffic/counts/counts.h"
#include "core/traffic/traffic.h"

enum column { EVENT, COUNT, SHARE, LOW, HIGH, COLUMN_NR };

static const struct {
    const char *name;
    enum column column;
} column_names[] = {{"event", EVENT}, {"name", EVENT},  {"counter", EVENT},
                    {"count", COUNT}, {"value", COUNT}, {"share", SHARE},
                    {"low", LOW},     {"high", HIGH}};

struct table {
    struct csv_lines lines;
    char separator;
    int place[COLUMN_NR]; /* of the column; -1 = none */
    struct count_set *set;
};

static const char *cell(const struct table *table, const struct strvec *field,
                        enum column column)
{
    int place = table->place[column];
    return place >= 0 && (size_t)place < field->nr ? field->v[place] : "";
}

static bool name_column(struct table *table, const char *name, int place)
{
    for (size_t i = 0; i < ARRAY_SIZE(column_names); i++)
        if (!strcasecmp(name, column_names[i].name)) {
            table->place[column_names[i].column] = place;
            return true;
        }
    return false;
}

static bool is_heading(const struct strvec *field)
{
    struct table scratch;
    return field->nr > 1 && name_column(&scratch, field->v[0], 0) &&
           name_column(&scratch, field->v[1], 0);
}

static int read_heading(struct table *table, const struct strvec *field,
                        struct error *err)
{
    for (int i = 0; i < COLUMN_NR; i++)
        table->place[i] = -1;
    for (size_t i = 0; i < field->nr; i++)
        if (!name_column(table, field->v[i], (int)i))
            return csv_fail(&table->lines, err,
                            "unknown column '%s'; known are event, count, share, "
                            "low and high",
                            field->v[i]);
    if (table->place[EVENT] < 0 || table->place[COUNT] < 0)
        return csv_fail(&table->lines, err,
                        "the heading must name the columns event and count");
    return 0;
}

/* A number that must be there. */
static int number_in(const struct table *table, const char *what, const char *text,
                     double low, double high, double *number, struct error *err)
{
    const char *why;
    enum count_word word = count_number(text, number, &why);
    if (word != COUNT_NUMBER)
        return csv_fail(&table->lines, err, "%s: '%s' %s", what, text,
                        word == COUNT_BAD ? why
                        : *number < 0     ? "is negative"
                                          : "is no number");
    if (*number < low || *number > high)
        return csv_fail(&table->lines, err, "%s: '%s' is not between %g and %g", what,
                        text, low, high);
    return 0;
}

static int read_share(const struct table *table, const char *text, double *share,
                      struct error *err)
{
    size_t length = strlen(text);
    bool percent = length && text[length - 1] == '%';
    char *number = xstrndup(text, percent ? length - 1 : length);
    int status =
        *text ? number_in(table, "share", number, 0, percent ? 100 : 1, share, err) : 0;
    *share = status || !*text ? 0 : percent ? *share / 100 : *share;
    free(number);
    return status;
}

static int read_ends(const struct table *table, const struct strvec *field,
                     struct quantity *value, struct error *err)
{
    const char *low_text = cell(table, field, LOW), *high_text = cell(table, field, HIGH);
    double low = value->low, high = value->high;
    if ((*low_text && number_in(table, "low", low_text, 0, INFINITY, &low, err)) ||
        (*high_text && number_in(table, "high", high_text, 0, INFINITY, &high, err)))
        return -1;
    if (!(low <= value->value && value->value <= high))
        return csv_fail(&table->lines, err,
                        "expected low <= count <= high, got %g, %g, %g", low,
                        value->value, high);
    value->low = low;
    value->high = high;
    return 0;
}

static int read_event(struct table *table, const struct strvec *field, struct error *err)
{
    const char *event = cell(table, field, EVENT), *text = cell(table, field, COUNT),
               *why;
    double number, share = 0;
    enum count_word word = count_number(text, &number, &why);
    if (count_set_find(table->set, event))
        return csv_fail(&table->lines, err, "the event '%s' is there already", event);
    if (word == COUNT_BAD)
        return csv_fail(&table->lines, err, "the count '%s' of '%s' %s", text, event,
                        why);
    if (read_share(table, cell(table, field, SHARE), &share, err))
        return -1;
    if (word != COUNT_NUMBER) {
        count_set_add_unknown(table->set, event, why);
        return 0;
    }
    struct quantity value = count_quantity(number, share, 0);
    if (read_ends(table, field, &value, err))
        return -1;
    count_set_add(table->set, event, value, share);
    return 0;
}

static int read_cores(struct table *table, const char *text, struct error *err)
{
    double number;
    if (number_in(table, "cores", text, 1, 100000, &number, err))
        return -1;
    if (number != floor(number))
        return csv_fail(&table->lines, err, "cores: '%s' is not a whole number", text);
    table->set->cores = (int)number;
    return 0;
}

/* What is said of the counts as a whole; 1 = the row is an event. */
static int read_reported(struct table *table, const char *name, const char *text,
                         struct error *err)
{
    struct count_set *set = table->set;
    double number;
    char **word = !strcasecmp(name, "cpu")      ? &set->cpu
                  : !strcasecmp(name, "source") ? &set->source
                                                : NULL;
    if (!strcasecmp(name, "cores"))
        return read_cores(table, text, err);
    if (!strcasecmp(name, "calls"))
        return number_in(table, "calls", text, 0, 1e18, &set->calls, err);
    if (word) {
        free(*word);
        *word = xstrdup(text);
        return 0;
    }
    if (strcasecmp(name, "seconds"))
        return 1;
    if (number_in(table, "seconds", text, 1e-9, 1e9, &number, err))
        return -1;
    set->seconds = quantity_exact(number, PROVENANCE_RECORDED);
    return 0;
}

static int read_row(struct table *table, const struct strvec *field, struct error *err)
{
    size_t nr = table->place[HIGH] >= 0 || table->place[LOW] >= 0 ? 5 : 3;
    const char *name = cell(table, field, EVENT);
    if (field->nr < 2)
        return csv_fail(&table->lines, err, "expected event%ccount, got '%s'",
                        table->separator, buf_str(&table->lines.line));
    if (field->nr > nr)
        return csv_fail(&table->lines, err,
                        "expected at most %zu fields, got %zu; numbers are "
                        "written with a decimal point and without grouping",
                        nr, field->nr);
    if (!*name)
        return csv_fail(&table->lines, err, "the event's name is missing");
    int reported = read_reported(table, name, cell(table, field, COUNT), err);
    return reported == 1 ? read_event(table, field, err) : reported;
}

static int read_line(struct table *table, struct error *err)
{
    const char *line = buf_str(&table->lines.line);
    bool first = !table->separator;
    struct strvec field = {0};
    int status;
    if (csv_is_blank(line) || *line == '#')
        return 0;
    if (first)
        table->separator = csv_separator(line);
    csv_fields(line, table->separator, &field);
    status = first && is_heading(&field) ? read_heading(table, &field, err)
                                         : read_row(table, &field, err);
    strvec_release(&field);
    return status;
}

int counts_read_csv(const char *name, const char *text, struct count_set *set,
                    struct error *err)
{
    struct table table = {
        .lines = {.file = name, .rest = text}, .place = {0, 1, 2, -1, -1}, .set = set};
    int status = 0;
    while (!status && csv_next(&table.lines))
        status = read_line(&table, err);
    buf_release(&table.lines.line);
    if (!status && !set->source)
        set->source = xstrdup(path_base(name));
    return status;
}
