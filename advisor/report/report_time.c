/* The report for a terminal: where the wall time went, and what it was not enough for. */
#include <math.h>

#include "advisor/report/report_sheet.h"

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

static void add_wall(const json_t *report, const json_t *time, const json_t *budget,
                     struct buf *line)
{
    double wall_s = figure(time, "wall_s");
    size_t variants = json_array_size(json_object_get(report, "variants"));

    buf_addf(line, "It took %.1f s", wall_s);
    if (figure(budget, "seconds") > 0)
        buf_addf(line, " of %.0f s", figure(budget, "seconds"));
    buf_addf(line, ", %zu variant%s judged: ", variants, variants == 1 ? "" : "s");
    add_shares(time, wall_s, line);
    buf_add(line, ".");
}

static void add_looks(const json_t *looks, struct buf *line)
{
    double nr = figure(looks, "nr");

    if (nr > 0)
        buf_addf(
            line,
            " First looks and comparisons in passing took %.2f s in the mean (%.0f of "
            "them); all their answers together are right with a chance of %.0f %%.",
            figure(looks, "seconds") / nr, nr, 100 * (1 - figure(looks, "error")));
}

static void add_left_out(const json_t *budget, struct buf *line)
{
    const json_t *what;
    size_t i;

    json_array_foreach(json_object_get(budget, "left_out"), i, what)
        buf_addf(line, "%s%s", i ? "; " : " No time was left for: ",
                 json_is_string(what) ? json_string_value(what) : "?");
    if (i)
        buf_add(line, ".");
    if (report_has(budget, "shortage"))
        buf_addf(line, " The budget: %s.", report_word(budget, "shortage"));
}

void sheet_effort(struct sheet *sheet)
{
    const json_t *time = json_object_get(sheet->report, "time"),
                 *budget = json_object_get(sheet->report, "budget");
    struct buf line = {0};

    if (!(figure(time, "wall_s") > 0) || !budget)
        return;
    add_wall(sheet->report, time, budget, &line);
    add_looks(json_object_get(budget, "looks"), &line);
    add_left_out(budget, &line);
    page_paragraph(&sheet->page, "%s", buf_str(&line));
    buf_release(&line);
}
