/* A time line for a terminal: one row of bars per event. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/figures.h"
#include "observe/report/timeline_show.h"

enum { TITLE_COLUMNS = 24, BAR_COLUMNS = 31, NUMBER_COLUMNS = 8 };

static const char *const bars_utf8[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const bars_ascii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};

struct view {
    const struct timeline *timeline;
    struct buf *out;
    double seconds;
    bool utf8;
};

/* All known values are 0, or none is known. */
static bool is_silent(const struct timeline_event *event, size_t bin_nr)
{
    for (size_t i = 0; i < bin_nr; i++)
        if (!isnan(event->value[i]) && event->value[i] != 0)
            return false;
    return true;
}

/* ---- numbers ---- */

static void add_number(struct buf *out, double number)
{
    struct buf text = {0};
    if (isnan(number))
        buf_add(&text, "?");
    else
        buf_add_number(&text, number);
    if (text.length < NUMBER_COLUMNS)
        buf_add_repeat(out, ' ', NUMBER_COLUMNS - text.length);
    else
        buf_add(out, " ");
    buf_add(out, buf_str(&text));
    buf_release(&text);
}

static void add_seconds(struct buf *out, double seconds)
{
    buf_addf(out, seconds >= 100 ? "%.1f" : "%.3g", seconds);
}

static void add_paragraph(struct buf *out, const struct buf *text, size_t indent)
{
    buf_add_wrapped(out, buf_str(text), indent, 79);
    buf_add(out, "\n");
}

/* The unit beside the label, "" where that ends with it: "busy cores". Borrowed. */
static const char *unit_of(const struct timeline_event *event)
{
    size_t length = strlen(event->label), tail = strlen(event->unit);
    bool reported = tail <= length && !strcmp(event->label + length - tail, event->unit);
    return reported ? "" : event->unit;
}

/* "context switches /s", "busy cores", in TITLE_COLUMNS. */
static void add_title(struct buf *out, const struct timeline_event *event)
{
    const char *unit = unit_of(event);
    int room = TITLE_COLUMNS - 1 - (int)strlen(unit) - (*unit != 0);
    char *title =
        xasprintf("%.*s%s%s", room > 4 ? room : 4, event->label, *unit ? " " : "", unit);
    buf_addf(out, "%-*.*s", TITLE_COLUMNS, TITLE_COLUMNS - 1, title);
    free(title);
}

/* ---- bars ---- */

/* Over the bins that lie in column c, by what lies there of each. */
static double mean_in_column(const struct view *view, const double *value, int column)
{
    double from = view->seconds * column / (double)BAR_COLUMNS;
    double to = view->seconds * (column + 1) / (double)BAR_COLUMNS, sum = 0, seconds = 0;
    for (size_t i = 0; i < view->timeline->bin_nr; i++) {
        const struct timeline_bin *bin = &view->timeline->bin[i];
        double inside = fmin(to, bin->to_s) - fmax(from, bin->from_s);
        if (inside <= 0 || isnan(value[i]))
            continue;
        sum += inside * value[i];
        seconds += inside;
    }
    return seconds > 0 ? sum / seconds : NAN;
}

static void add_bars(const struct view *view, const struct timeline_event *event)
{
    const char *const *bars = view->utf8 ? bars_utf8 : bars_ascii;
    double mean[BAR_COLUMNS], max = 0, min = 0;
    for (int i = 0; i < BAR_COLUMNS; i++) {
        mean[i] = mean_in_column(view, event->value, i);
        max = fmax(max, isnan(mean[i]) ? 0 : mean[i]);
        min = fmin(min, isnan(mean[i]) ? 0 : mean[i]);
    }
    for (int i = 0; i < BAR_COLUMNS; i++) {
        double share = max > min ? (mean[i] - min) / (max - min) : 0;
        int step = (int)(share * (double)ARRAY_SIZE(bars_utf8));
        if (isnan(mean[i]))
            buf_add(view->out, " ");
        else
            buf_add(view->out, bars[step < 8 ? step : 7]);
    }
}

static void add_event(const struct view *view, size_t place)
{
    const struct timeline_event *event = &view->timeline->event[place];
    double low = NAN, high = NAN;
    for (size_t i = 0; i < view->timeline->bin_nr; i++) {
        low = fmin(low, event->value[i]); /* of NaN and a number: the number */
        high = fmax(high, event->value[i]);
    }
    add_title(view->out, event);
    add_bars(view, event);
    add_number(view->out, low);
    add_number(view->out,
               timeline_mean(view->timeline, place, 0, view->timeline->bin_nr));
    add_number(view->out, high);
    buf_add(view->out, "\n");
}

static void add_axis(const struct view *view)
{
    struct buf end = {0};
    add_seconds(&end, view->seconds);
    buf_add(&end, " s");
    buf_addf(view->out, "%*s0%*s%8s%8s%8s\n", TITLE_COLUMNS, "", BAR_COLUMNS - 1,
             buf_str(&end), "min", "mean", "max");
    buf_release(&end);
}

static void add_silent(const struct view *view)
{
    const struct timeline *timeline = view->timeline;
    struct strvec zero = {0}, unknown = {0};
    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];
        bool known = !isnan(timeline_mean(timeline, i, 0, timeline->bin_nr));
        if (is_silent(event, timeline->bin_nr))
            strvec_push(known ? &zero : &unknown, event->label);
    }
    for (int i = 0; i < 2; i++) {
        struct strvec *list = i ? &unknown : &zero;
        char *names = strvec_join(list, ", ");
        struct buf line = {0};
        buf_addf(&line, "%s: %s", i ? "never known" : "0 all the time", names);
        if (list->nr)
            add_paragraph(view->out, &line, 2);
        buf_release(&line);
        free(names);
        strvec_release(list);
    }
}

static void add_bars_of_all(const struct view *view)
{
    const struct timeline *timeline = view->timeline;
    add_axis(view);
    for (size_t i = 0; i < timeline->event_nr; i++)
        if (!is_silent(&timeline->event[i], timeline->bin_nr))
            add_event(view, i);
    add_silent(view);
}

/* ---- the rest ---- */

static void add_head(const struct view *view)
{
    const struct timeline *timeline = view->timeline;
    size_t missed = timeline_missed(timeline);
    struct buf line = {0};
    buf_addf(&line, "%.150s%s: ", timeline->program,
             strlen(timeline->program) > 150 ? " ..." : "");
    add_seconds(&line, view->seconds);
    buf_addf(&line, " s, %s; %zu reading%s every ", timeline->end, timeline->bin_nr,
             timeline->bin_nr == 1 ? "" : "s");
    buf_add_time(&line, timeline->interval_s);
    if (missed)
        buf_addf(&line, ", %zu deadline%s missed", missed, missed == 1 ? "" : "s");
    if (view->seconds > 0)
        buf_addf(&line, "; reading them took %.2g %% of a core",
                 100 * timeline->own_cpu_s / view->seconds);
    add_paragraph(view->out, &line, 2);
    buf_release(&line);
}

static void add_notes(const struct view *view)
{
    const struct timeline *timeline = view->timeline;
    if (timeline->note.nr)
        buf_add(view->out, "\n");
    for (size_t i = 0; i < timeline->note.nr; i++) {
        struct buf line = {0};
        buf_addf(&line, "* %s", timeline->note.v[i]);
        add_paragraph(view->out, &line, 2);
        buf_release(&line);
    }
}

void timeline_text(const struct timeline *timeline, bool utf8, struct buf *out)
{
    struct view view = {timeline, out, timeline_seconds(timeline), utf8};
    add_head(&view);
    if (timeline->bin_nr) {
        buf_add(out, "\n");
        add_bars_of_all(&view);
    }
    if (timeline->bin_nr < 10)
        buf_addf(out,
                 "\nFewer than 10 readings: too few to show a course over time; give a "
                 "shorter interval.\n");
    add_notes(&view);
}
