/* The report for a terminal: ties of the winner, the rules' track record, what was
 * reused, and where the time went. */
#include "advisor/page.h"
#include "advisor/report_parts.h"
#include "advisor/track_show.h"

static const char *word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double figure(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* "tile(i:32) simd 0.99x (0.97 to 1.01)" */
static void add_tie(struct buf *out, const json_t *tie)
{
    const json_t *ratio = json_object_get(tie, "time_ratio");
    buf_addf(out, "%s%s %.2fx (%.2f to %.2f)", out->length ? "; " : "", word(tie, "plan"),
             figure(ratio, "value"), figure(ratio, "low"), figure(ratio, "high"));
}

/* `equal`: those that cannot be told apart from the winner; at least one. */
static void add_choice(const json_t *report, const json_t *ties, const char *equal,
                       struct buf *out)
{
    buf_addf(out, "Cannot be told apart from the fastest found, %s: %s. ",
             word(ties, "winner"), equal);
    if (json_is_true(json_object_get(ties, "written")))
        buf_add(out, "None of them is a smaller change that is surely as good. ");
    else
        buf_addf(out, "%s is the smallest change of them and was taken. ",
                 word(json_object_get(report, "best"), "plan"));
}

void report_add_ties(const json_t *report, size_t width, struct buf *out)
{
    const json_t *ties = json_object_get(report, "ties"), *tie;
    struct page page = {.out = out, .width = width};
    struct buf equal = {0}, other = {0}, line = {0};
    size_t i;
    if (!*word(json_object_get(report, "best"), "plan"))
        return; /* nothing was faster in the end */
    json_array_foreach(json_object_get(ties, "compared"), i, tie)
        add_tie(json_is_true(json_object_get(tie, "tied")) ? &equal : &other, tie);
    if (equal.length)
        add_choice(report, ties, buf_str(&equal), &line);
    if (other.length)
        buf_addf(&line, "Slower or faster beyond the noise: %s.", buf_str(&other));
    if (line.length)
        page_paragraph(&page, "%s", buf_str(&line));
    buf_release(&equal);
    buf_release(&other);
    buf_release(&line);
}

void report_add_time(const json_t *report, bool colour, size_t width, struct buf *out)
{
    const json_t *time = json_object_get(report, "time");
    struct page page = {.out = out, .colour = colour, .width = width};
    if (!(figure(time, "wall_s") > 0))
        return;
    page_heading(&page, "Where the time went");
    for (int i = 0; i < ACCOUNT_NR; i++) {
        double seconds = figure(time, account_key((enum account)i));
        if (seconds >= 0.05)
            buf_addf(out, "  %7.1f s  %s\n", seconds, account_meaning((enum account)i));
    }
    page_paragraph(&page,
                   "%.1f %% of %.1f s were neither compiling nor running variants nor "
                   "measuring the machine.",
                   100 * figure(time, "overhead_share"), figure(time, "wall_s"));
}

void report_add_record(const json_t *report, bool colour, size_t width, struct buf *out)
{
    const json_t *list = json_object_get(report, "record"), *rule;
    struct page page = {.out = out, .colour = colour, .width = width};
    size_t i;
    if (!json_array_size(list))
        return;
    page_heading(&page, "Track record of these rules");
    json_array_foreach(list, i, rule)
    {
        struct buf line = {0};
        track_line(rule, &line);
        buf_add(out, "  ");
        buf_add_wrapped(out, buf_str(&line), 6, width);
        buf_add(out, "\n");
        buf_release(&line);
    }
}

void report_add_reused(const json_t *report, size_t width, struct buf *out)
{
    const json_t *reused = json_object_get(report, "reused");
    struct page page = {.out = out, .width = width};
    struct buf line = {0};
    if (!reused)
        return;
    buf_addf(&line, "Reused from earlier sessions: measurements %.0f, comparisons %.0f",
             figure(reused, "measurements"), figure(reused, "comparisons"));
    if (*word(reused, "oldest"))
        buf_addf(&line, ", the oldest of %.10s", word(reused, "oldest"));
    buf_add(&line, ".");
    page_paragraph(&page, "%s", buf_str(&line));
    buf_release(&line);
}
