/* A time line for a terminal: one row of bars per event, the phases, their means. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "observe/report/timeline_show.h"

enum {
    TITLE_COLUMNS = 24,
    BAR_COLUMNS = 31,
    NUMBER_COLUMNS = 8,
    KINDS_IN_TABLE = 6,
    STRETCHES_SHOWN = 6
};

static const char *const bars_utf8[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const bars_ascii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};

struct sheet {
    const struct timeline *timeline;
    const struct timeline_phases *phases;
    struct buf *out;
    double seconds;
    bool utf8;
};

const char *timeline_phase_name(size_t kind, char *out)
{
    char *at = out;
    if (kind >= 26)
        *at++ = (char)('A' + (kind / 26 - 1) % 26);
    *at++ = (char)('A' + kind % 26);
    *at = '\0';
    return out;
}

bool timeline_is_silent(const struct timeline_event *event, size_t bin_nr)
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

const char *timeline_unit(const struct timeline_event *event)
{
    size_t length = strlen(event->label), tail = strlen(event->unit);
    bool said = tail <= length && !strcmp(event->label + length - tail, event->unit);
    return said ? "" : event->unit;
}

/* "context switches /s", "busy cores", in TITLE_COLUMNS. */
static void add_title(struct buf *out, const struct timeline_event *event)
{
    const char *unit = timeline_unit(event);
    int room = TITLE_COLUMNS - 1 - (int)strlen(unit) - (*unit != 0);
    char *title =
        xasprintf("%.*s%s%s", room > 4 ? room : 4, event->label, *unit ? " " : "", unit);
    buf_addf(out, "%-*.*s", TITLE_COLUMNS, TITLE_COLUMNS - 1, title);
    free(title);
}

/* ---- bars ---- */

/* Over the bins that lie in column c, by what lies there of each. */
static double mean_in_column(const struct sheet *sheet, const double *value, int column)
{
    double from = sheet->seconds * column / (double)BAR_COLUMNS;
    double to = sheet->seconds * (column + 1) / (double)BAR_COLUMNS, sum = 0, seconds = 0;
    for (size_t i = 0; i < sheet->timeline->bin_nr; i++) {
        const struct timeline_bin *bin = &sheet->timeline->bin[i];
        double inside = fmin(to, bin->to_s) - fmax(from, bin->from_s);
        if (inside <= 0 || isnan(value[i]))
            continue;
        sum += inside * value[i];
        seconds += inside;
    }
    return seconds > 0 ? sum / seconds : NAN;
}

static void add_bars(const struct sheet *sheet, const struct timeline_event *event)
{
    const char *const *bars = sheet->utf8 ? bars_utf8 : bars_ascii;
    double mean[BAR_COLUMNS], most = 0, least = 0;
    for (int i = 0; i < BAR_COLUMNS; i++) {
        mean[i] = mean_in_column(sheet, event->value, i);
        most = fmax(most, isnan(mean[i]) ? 0 : mean[i]);
        least = fmin(least, isnan(mean[i]) ? 0 : mean[i]);
    }
    for (int i = 0; i < BAR_COLUMNS; i++) {
        double share = most > least ? (mean[i] - least) / (most - least) : 0;
        int step = (int)(share * (double)ARRAY_SIZE(bars_utf8));
        if (isnan(mean[i]))
            buf_add(sheet->out, " ");
        else
            buf_add(sheet->out, bars[step < 8 ? step : 7]);
    }
}

static void add_event(const struct sheet *sheet, size_t place)
{
    const struct timeline_event *event = &sheet->timeline->event[place];
    double low = NAN, high = NAN;
    for (size_t i = 0; i < sheet->timeline->bin_nr; i++) {
        low = fmin(low, event->value[i]); /* of NaN and a number: the number */
        high = fmax(high, event->value[i]);
    }
    add_title(sheet->out, event);
    add_bars(sheet, event);
    add_number(sheet->out, low);
    add_number(sheet->out,
               timeline_mean(sheet->timeline, place, 0, sheet->timeline->bin_nr));
    add_number(sheet->out, high);
    buf_add(sheet->out, "\n");
}

static void add_axis(const struct sheet *sheet)
{
    struct buf end = {0};
    add_seconds(&end, sheet->seconds);
    buf_add(&end, " s");
    buf_addf(sheet->out, "%*s0%*s%8s%8s%8s\n", TITLE_COLUMNS, "", BAR_COLUMNS - 1,
             buf_str(&end), "min", "mean", "max");
    buf_release(&end);
}

/* Which phase has most of each column. */
static void add_phase_row(const struct sheet *sheet)
{
    buf_addf(sheet->out, "%-*s", TITLE_COLUMNS, "phase");
    for (int i = 0; i < BAR_COLUMNS; i++) {
        double at = sheet->seconds * (i + 0.5) / (double)BAR_COLUMNS;
        size_t k = 0;
        char name[8];
        while (k + 1 < sheet->phases->nr && at >= sheet->phases->phase[k].to_s)
            k++;
        timeline_phase_name(sheet->phases->phase[k].kind, name);
        buf_add_n(sheet->out, name, 1);
    }
    buf_add(sheet->out, "\n");
}

static void add_silent(const struct sheet *sheet)
{
    const struct timeline *timeline = sheet->timeline;
    struct strvec zero = {0}, unknown = {0};
    for (size_t i = 0; i < timeline->event_nr; i++) {
        const struct timeline_event *event = &timeline->event[i];
        bool known = !isnan(timeline_mean(timeline, i, 0, timeline->bin_nr));
        if (timeline_is_silent(event, timeline->bin_nr))
            strvec_push(known ? &zero : &unknown, event->label);
    }
    for (int i = 0; i < 2; i++) {
        struct strvec *list = i ? &unknown : &zero;
        char *names = strvec_join(list, ", ");
        struct buf line = {0};
        buf_addf(&line, "%s: %s", i ? "never known" : "0 all the time", names);
        if (list->nr)
            add_paragraph(sheet->out, &line, 2);
        buf_release(&line);
        free(names);
        strvec_release(list);
    }
}

static void add_bars_of_all(const struct sheet *sheet)
{
    const struct timeline *timeline = sheet->timeline;
    add_axis(sheet);
    for (size_t i = 0; i < timeline->event_nr; i++)
        if (!timeline_is_silent(&timeline->event[i], timeline->bin_nr))
            add_event(sheet, i);
    if (sheet->phases->nr > 1)
        add_phase_row(sheet);
    add_silent(sheet);
}

/* ---- phases ---- */

static double seconds_of_kind(const struct sheet *sheet, size_t kind)
{
    double seconds = 0;
    for (size_t i = 0; i < sheet->phases->nr; i++)
        if (sheet->phases->phase[i].kind == kind)
            seconds += sheet->phases->phase[i].to_s - sheet->phases->phase[i].from_s;
    return seconds;
}

/* "  A  1.2 s: 0 to 0.5, 1 to 1.7 s" */
static void add_kind(const struct sheet *sheet, size_t kind)
{
    struct buf line = {0};
    size_t nr = 0;
    char name[8];
    buf_addf(&line, "  %-3s", timeline_phase_name(kind, name));
    add_seconds(&line, seconds_of_kind(sheet, kind));
    buf_add(&line, " s: ");
    for (size_t i = 0; i < sheet->phases->nr; i++) {
        const struct timeline_phase *phase = &sheet->phases->phase[i];
        if (phase->kind != kind || nr++ >= STRETCHES_SHOWN)
            continue;
        buf_add(&line, nr > 1 ? ", " : "");
        add_seconds(&line, phase->from_s);
        buf_add(&line, " to ");
        add_seconds(&line, phase->to_s);
    }
    buf_add(&line, " s");
    if (nr > STRETCHES_SHOWN)
        buf_addf(&line, " and %zu more", nr - STRETCHES_SHOWN);
    add_paragraph(sheet->out, &line, 5);
    buf_release(&line);
}

/* Of an event over all phases of a kind. */
static double mean_of_kind(const struct sheet *sheet, size_t event, size_t kind)
{
    double sum = 0, seconds = 0;
    for (size_t i = 0; i < sheet->phases->nr; i++) {
        const struct timeline_phase *phase = &sheet->phases->phase[i];
        double length = phase->to_s - phase->from_s;
        if (phase->kind != kind || isnan(phase->mean[event]))
            continue;
        sum += length * phase->mean[event];
        seconds += length;
    }
    return seconds > 0 ? sum / seconds : NAN;
}

static void add_table(const struct sheet *sheet, size_t first, size_t end)
{
    const struct timeline *timeline = sheet->timeline;
    char name[8];
    buf_addf(sheet->out, "%-*s", TITLE_COLUMNS, "mean");
    for (size_t k = first; k < end; k++)
        buf_addf(sheet->out, "%*s", NUMBER_COLUMNS, timeline_phase_name(k, name));
    buf_add(sheet->out, "\n");
    for (size_t i = 0; i < timeline->event_nr; i++) {
        if (timeline_is_silent(&timeline->event[i], timeline->bin_nr))
            continue;
        add_title(sheet->out, &timeline->event[i]);
        for (size_t k = first; k < end; k++)
            add_number(sheet->out, mean_of_kind(sheet, i, k));
        buf_add(sheet->out, "\n");
    }
}

static void add_phases(const struct sheet *sheet)
{
    size_t kinds = sheet->phases->kind_nr;
    if (sheet->phases->nr < 2) {
        buf_add(sheet->out, "\nOne phase: nothing changes beyond the noise.\n");
        return;
    }
    buf_addf(sheet->out, "\n%zu phases, %zu of them different\n", sheet->phases->nr,
             kinds);
    for (size_t k = 0; k < kinds; k++)
        add_kind(sheet, k);
    for (size_t k = 0; k < kinds; k += KINDS_IN_TABLE) {
        size_t end = k + KINDS_IN_TABLE < kinds ? k + KINDS_IN_TABLE : kinds;
        buf_add(sheet->out, "\n");
        add_table(sheet, k, end);
    }
}

/* ---- the rest ---- */

static void add_head(const struct sheet *sheet)
{
    const struct timeline *timeline = sheet->timeline;
    size_t missed = timeline_missed(timeline);
    struct buf line = {0};
    buf_addf(&line, "%.150s%s: ", timeline->program ? timeline->program : "time line",
             timeline->program && strlen(timeline->program) > 150 ? " ..." : "");
    add_seconds(&line, sheet->seconds);
    buf_addf(&line, " s%s%s; %zu reading%s every ", timeline->end ? ", " : "",
             timeline->end ? timeline->end : "", timeline->bin_nr,
             timeline->bin_nr == 1 ? "" : "s");
    buf_add_time(&line, timeline->interval_s);
    if (missed)
        buf_addf(&line, ", %zu deadline%s missed", missed, missed == 1 ? "" : "s");
    if (timeline->own_cpu_s >= 0 && sheet->seconds > 0)
        buf_addf(&line, "; reading them took %.2g %% of a core",
                 100 * timeline->own_cpu_s / sheet->seconds);
    add_paragraph(sheet->out, &line, 2);
    buf_release(&line);
}

static void add_notes(const struct sheet *sheet)
{
    const struct timeline *timeline = sheet->timeline;
    if (timeline->note.nr)
        buf_add(sheet->out, "\n");
    for (size_t i = 0; i < timeline->note.nr; i++) {
        struct buf line = {0};
        buf_addf(&line, "* %s", timeline->note.v[i]);
        add_paragraph(sheet->out, &line, 2);
        buf_release(&line);
    }
}

void timeline_text(const struct timeline *timeline, const struct timeline_phases *phases,
                   bool utf8, struct buf *out)
{
    struct sheet sheet = {timeline, phases, out, timeline_seconds(timeline), utf8};
    add_head(&sheet);
    if (timeline->bin_nr) {
        buf_add(out, "\n");
        add_bars_of_all(&sheet);
        add_phases(&sheet);
    }
    if (timeline->bin_nr < 10)
        buf_addf(out, "\nFewer than 10 readings: too few for a course over time; give a "
                      "shorter interval.\n");
    add_notes(&sheet);
}
