/* The report for a terminal: where the wall time went, and what it was not enough for. */
#include <math.h>

#include "advisor/report_sheet.h"

static double figure(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* What runs for each variant, and in what words; all else is the rest. */
static const struct {
    enum account account;
    const char *words;
} parts[] = {{ACCOUNT_COMPILING, "compiling"},
             {ACCOUNT_VERIFYING, "checking results"},
             {ACCOUNT_TIMING, "timing"},
             {ACCOUNT_TRACING, "tracing"}};

/* In whole per cent, which add up. */
static void add_shares(const json_t *time, double wall_s, struct buf *out)
{
    int rest = 100;

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        int share =
            (int)lround(100 * figure(time, account_key(parts[i].account)) / wall_s);

        rest -= share;
        buf_addf(out, "%s %d %%, ", parts[i].words, share);
    }
    buf_addf(out, "the rest %d %%", rest > 0 ? rest : 0);
}

static void show_wall(struct sheet *sheet, const json_t *time, const json_t *budget)
{
    double wall_s = figure(time, "wall_s");
    struct buf line = {0};

    buf_addf(&line, "%.1f s", wall_s);
    if (figure(budget, "seconds") > 0)
        buf_addf(&line, " of %.0f s", figure(budget, "seconds"));
    buf_add(&line, ": ");
    add_shares(time, wall_s, &line);
    page_line(&sheet->page, "time", "%s", buf_str(&line));
    buf_release(&line);
}

static void show_left_out(struct sheet *sheet, const json_t *budget)
{
    struct buf line = {0};
    const json_t *what;
    size_t i;

    json_array_foreach(json_object_get(budget, "left_out"), i, what)
        buf_addf(&line, "%s%s", i ? "; " : "",
                 json_is_string(what) ? json_string_value(what) : "?");
    if (line.length)
        page_line(&sheet->page, "no time for", "%s", buf_str(&line));
    if (report_has(budget, "shortage"))
        page_line(&sheet->page, "budget", "%s", report_word(budget, "shortage"));
    buf_release(&line);
}

void sheet_effort(struct sheet *sheet)
{
    const json_t *time = json_object_get(sheet->report, "time"),
                 *budget = json_object_get(sheet->report, "budget");

    if (!(figure(time, "wall_s") > 0) || !budget)
        return;
    page_heading(&sheet->page, "Where the time went");
    show_wall(sheet, time, budget);
    page_line(&sheet->page, "variants judged", "%zu",
              json_array_size(json_object_get(sheet->report, "variants")));
    show_left_out(sheet, budget);
}
