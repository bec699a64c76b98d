/* What counters say as text; from the document, of which nothing is trusted to be there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_facts.h"
#include "advisor/report/report_read.h"

/* "51 %", "7.90 lines", with the interval where it is wider than a twentieth. */
static void add_figure(const json_t *quantity, const char *unit, struct buf *out)
{
    bool share = !strcmp(unit, "share");
    double scale = share ? 100 : 1, value = report_figure(quantity, "value"),
           low = report_figure(quantity, "low"), high = report_figure(quantity, "high");
    buf_addf(out, share ? "%.0f %%" : "%.2f", scale * value);
    if (!share)
        buf_addf(out, " %s", unit);
    if (isnan(high))
        buf_add(out, " or more");
    else if (high - low > 0.05 * fabs(value))
        buf_addf(out, share ? " (%.0f to %.0f)" : " (%.2f to %.2f)", scale * low,
                 scale * high);
}

/* What bandwidth and latency say of the same, and why that may be another number. */
static void add_beside(const json_t *value, const json_t *other, const char *unit,
                       struct buf *out)
{
    bool share = !strcmp(unit, "share");
    buf_add(out, share ? "; by bandwidth and latency it is filled to "
                       : "; by bandwidth and latency ");
    add_figure(other, unit, out);
    if (share)
        return;
    if (report_figure(value, "low") > report_figure(other, "high"))
        buf_add(out, ": fewer, so misses that other caches serve are not among them, or "
                     "misses take longer than the profile says");
    if (report_figure(value, "high") < report_figure(other, "low"))
        buf_add(out, ": more, so prefetchers fetch some ahead, or memory answers sooner "
                     "than the profile says");
}

char *metrics_fact_text(const json_t *fact)
{
    const char *unit = report_word(fact, "unit"), *of = report_word(fact, "of");
    const json_t *value = report_quantity(fact, "value"),
                 *other = report_quantity(fact, "by_bandwidth");
    struct buf line = {0};
    if (!report_quantity(fact, "counted"))
        return NULL;
    if (value)
        add_figure(value, unit, &line);
    else
        buf_addf(&line, "not told to the rules: %s", report_word(fact, "why_not"));
    if (value && *of)
        buf_addf(&line, " of %s", of);
    if (value && other)
        add_beside(value, other, unit, &line);
    return buf_detach(&line);
}

void metrics_facts_text(const json_t *facts, size_t width, struct buf *out)
{
    const json_t *fact;
    size_t i;
    if (!json_is_object(facts))
        return;
    buf_addf(out, "  Counters beside it, by the definitions of %s:\n",
             report_word(facts, "definitions"));
    json_array_foreach(json_object_get(facts, "metrics"), i, fact)
    {
        char *line = metrics_fact_text(fact);
        if (!line)
            continue;
        buf_addf(out, "    %-18s ", report_word(fact, "name"));
        buf_add_wrapped(out, line, 23, width);
        buf_add(out, "\n");
        free(line);
    }
}
