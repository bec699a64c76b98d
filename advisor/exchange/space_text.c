/* An imported space for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/layout.h"
#include "advisor/exchange/exchanged.h"
#include "advisor/report/report_read.h"
#include "core/base/figures.h"

enum { SHOWN = 20 };

/* Nanoseconds; NaN = none. */
static double time_of(const json_t *line)
{
    const json_t *median = json_object_get(json_object_get(line, "time_ns"), "median");
    return json_is_number(median) ? json_number_value(median) : NAN;
}

static double figure_of(const json_t *line, const char *name)
{
    size_t i;
    const json_t *figure;
    json_array_foreach(json_object_get(line, "figures"), i, figure)
        if (!strcmp(report_word(figure, "name"), name))
            return json_number_value(json_object_get(figure, "value"));
    return NAN;
}

/* ---- the order ---- */

struct ranked {
    const json_t *line;
    double time_ns;
    size_t place; /* in the file */
};

/* The fastest first; what has no time behind, as in the file. */
static int by_time(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (isnan(x->time_ns) != isnan(y->time_ns))
        return isnan(x->time_ns) ? 1 : -1;
    if (x->time_ns < y->time_ns || x->time_ns > y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static struct ranked *rank(const json_t *results, size_t *nr)
{
    struct ranked *list = xcalloc(json_array_size(results) + 1, sizeof(*list));
    *nr = json_array_size(results);
    for (size_t i = 0; i < *nr; i++) {
        const json_t *line = json_array_get(results, i);
        list[i] = (struct ranked){line, time_of(line), i};
    }
    qsort(list, *nr, sizeof(*list), by_time);
    return list;
}

/* ---- the parts ---- */

static void add_outcomes(const json_t *results, struct buf *out)
{
    json_t *counts = json_object(), *count;
    const char *word;
    size_t i;
    const json_t *line;
    json_array_foreach((json_t *)results, i, line) {
        word = report_word(line, "outcome");
        json_object_set_new(
            counts, word,
            json_integer(1 + json_integer_value(json_object_get(counts, word))));
    }
    json_object_foreach(counts, word, count)
        buf_addf(out, "%s%lld %s", out->length ? ", " : "",
                 (long long)json_integer_value(count), word);
    json_decref(counts);
}

static void add_value(const json_t *value, struct buf *out)
{
    char *text = json_is_string(value)
                     ? xstrdup(json_string_value(value))
                     : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    buf_add(out, text ? text : "");
    free(text);
}

static void add_values(const json_t *values, struct buf *out)
{
    enum { max = 8 };
    size_t nr = json_array_size(values);
    for (size_t i = 0; i < nr && i < max; i++) {
        buf_add(out, i ? ", " : "");
        add_value(json_array_get(values, i), out);
    }
    if (nr > max)
        buf_addf(out, " ... (%zu values)", nr);
}

static void show_head(struct layout *layout, const json_t *report)
{
    const char *device = report_word(report, "machine"),
               *note = report_word(report, "note");
    const char *name = report_word(report, "function");
    const json_t *size = json_object_get(report, "problem_size");
    struct buf counts = {0};
    buf_addf(layout->out, "%s%s%s, imported from %s (%s); session %lld\n",
             layout->colour ? "\033[1m" : "", *name ? name : "a kernel without a name",
             layout->colour ? "\033[0m" : "", report_word(report, "file"),
             report_word(report, "format"),
             (long long)json_integer_value(json_object_get(report, "session")));
    layout_line(layout, "measured on", "%s", *device ? device : "not told");
    if (size && !json_is_null(size)) {
        struct buf text = {0};
        if (json_is_array(size))
            add_values(size, &text);
        else
            add_value(size, &text);
        layout_line(layout, "problem size", "%s",
                    text.length ? buf_str(&text) : "not told");
        buf_release(&text);
    }
    add_outcomes(json_object_get(report, "results"), &counts);
    layout_line(layout, "results", "%s", buf_str(&counts));
    buf_release(&counts);
    if (*note)
        layout_paragraph(layout, "%s", note);
}

static void show_parameters(struct layout *layout, const json_t *report)
{
    const char *name;
    json_t *values;
    if (!json_object_size(json_object_get(report, "parameters")))
        return;
    layout_heading(layout, "Parameters");
    json_object_foreach(json_object_get(report, "parameters"), name, values) {
        struct buf text = {0};
        add_values(values, &text);
        layout_line(layout, name, "%s", buf_str(&text));
        buf_release(&text);
    }
}

/* Of results of our own the plan. */
static void add_configuration(const json_t *line, struct buf *out)
{
    const json_t *configuration = json_object_get(line, "configuration");
    const char *name, *plan = report_word(line, "plan");
    json_t *value;
    if (!json_object_size(configuration))
        buf_add(out, *plan ? plan : "as written");
    json_object_foreach((json_t *)configuration, name, value) {
        buf_addf(out, "%s%s=", out->length ? " " : "", name);
        add_value(value, out);
    }
}

/* "  1   12.3 ms  1.00  block_size_x=32 ..." */
static void show_line(struct layout *layout, const struct ranked *ranked, size_t place,
                      double best_ns, const char *objective)
{
    enum { indent = 30 };
    struct buf cell = {0}, values = {0};
    double figure = figure_of(ranked->line, objective);
    if (!isnan(ranked->time_ns))
        buf_add_time(&cell, ranked->time_ns * 1e-9);
    else if (!isnan(figure))
        buf_addf(&cell, "%.6g", figure);
    else
        buf_add(&cell, report_word(ranked->line, "outcome"));
    buf_addf(layout->out, "%6zu %13s ", place, buf_str(&cell));
    if (!isnan(ranked->time_ns))
        buf_addf(layout->out, "%7.3f  ", ranked->time_ns / best_ns);
    else
        buf_addf(layout->out, "%7s  ", "");
    add_configuration(ranked->line, &values);
    buf_add_wrapped(layout->out, buf_str(&values), indent, layout->width);
    buf_add(layout->out, "\n");
    buf_release(&cell);
    buf_release(&values);
}

void space_text(const json_t *report, bool colour, bool evidence, int columns,
                struct buf *out)
{
    struct layout layout = layout_on(out, colour, columns);
    const char *objective = report_word(report, "objective");
    size_t nr = 0, timed = 0;
    struct ranked *list = rank(json_object_get(report, "results"), &nr);
    show_head(&layout, report);
    show_parameters(&layout, report);
    while (timed < nr && !isnan(list[timed].time_ns))
        timed++;
    layout_heading(&layout, timed      ? "Fastest configurations"
                            : evidence ? "Configurations"
                                       : "The first configurations");
    buf_addf(out, "%6s %13s %7s  parameters\n", "", timed ? "one call" : objective,
             timed ? "x best" : "");
    size_t shown = evidence ? nr : timed ? timed : nr;
    if (!evidence && shown > SHOWN)
        shown = SHOWN;
    for (size_t i = 0; i < shown; i++)
        show_line(&layout, &list[i], i + 1, list[0].time_ns, objective);
    if (shown < nr)
        layout_paragraph(&layout, "%zu more; --evidence shows all.", nr - shown);
    free(list);
}
