#include "advisor/report/report_read.h"

#include <math.h>
#include <string.h>

const char *report_word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

bool report_has(const json_t *object, const char *key)
{
    return *report_word(object, key) != 0;
}

double report_figure(const json_t *object, const char *key)
{
    const json_t *node = json_object_get(object, key);
    return json_is_number(node) ? json_number_value(node) : NAN;
}

const json_t *report_quantity(const json_t *object, const char *key)
{
    const json_t *node = json_object_get(object, key);
    return json_is_object(node) ? node : NULL;
}

bool report_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

bool report_is_advice(const json_t *report)
{
    return !strcmp(report_word(report, "command"), "advise");
}

struct quantity report_value(const json_t *quantity)
{
    double value = report_figure(quantity, "value"), low = report_figure(quantity, "low"),
           high = report_figure(quantity, "high");
    return (struct quantity){.known = !isnan(value),
                             .value = value,
                             .low = isnan(low) ? -INFINITY : low,
                             .high = isnan(high) ? INFINITY : high,
                             .doubted = !report_is_believed(quantity)};
}

bool report_is_noise(double low, double high)
{
    return !(low > 1) && !(high < 1); /* an open end is not known to exclude it */
}

static bool is_noise(const json_t *gain)
{
    return report_is_noise(report_figure(gain, "low"), report_figure(gain, "high"));
}

bool report_is_believed(const json_t *quantity)
{
    return !json_is_false(json_object_get(quantity, "believed"));
}

void add_report_doubt(struct buf *out, double disturbed)
{
    buf_add(out, "not believed: the machine was busy");
    if (disturbed >= 0.01)
        buf_addf(out, " (others had the processor for %.0f %% of the time)",
                 100 * disturbed);
    buf_add(out, "; measure again when it is quiet");
}

void add_report_disturbed(struct buf *out, double disturbed)
{
    static const double given = 0.05;
    if (disturbed >= given)
        buf_addf(out,
                 "; on a busy machine: others had the processor for %.0f %% of the time, "
                 "which does not count",
                 100 * disturbed);
}

void add_report_gain(struct buf *out, const json_t *quantity, const char *absent)
{
    struct quantity gain = report_value(quantity);
    if (!quantity) {
        buf_add(out, absent);
        return;
    }
    buf_add_ratio(out, gain);
    if (!gain.doubted && gain.low != gain.high && is_noise(quantity))
        buf_add(out, ", not beyond the noise");
}

void add_report_measured(struct buf *out, const json_t *advice)
{
    const json_t *gain = report_quantity(advice, "gain");
    add_report_gain(out, gain, "");
    if (!strcmp(report_word(advice, "verdict_text"), "no gain") &&
        report_figure(gain, "low") > 1)
        buf_add(out, " by the steps beside it");
}

void add_report_rough(struct buf *out, double ratio)
{
    buf_addf(out, ratio < 2 ? "%.2fx" : ratio < 9.95 ? "%.1fx" : "%.0fx", ratio);
}

bool report_is_untried(const json_t *advice)
{
    const char *class = report_word(advice, "verdict_text");
    return !strcmp(class, "try") || !strcmp(class, "allow");
}

bool report_is_promising(const json_t *advice)
{
    const double worth_a_headline = 1.2;
    return report_figure(report_quantity(advice, "expected"), "value") >=
           worth_a_headline;
}

void add_report_expected(struct buf *out, const json_t *advice)
{
    buf_add(out, "about ");
    add_report_rough(out, report_figure(report_quantity(advice, "expected"), "value"));
}

void add_report_bound(struct buf *out, const json_t *quantity)
{
    if (!quantity)
        return;
    buf_add(out, "at most ");
    buf_add_times(out, report_figure(quantity, "value"));
}

void add_report_time(struct buf *out, const json_t *measurement)
{
    const json_t *time = report_quantity(measurement, "time_ns");
    if (!time) {
        buf_add(out, report_word(measurement, "outcome"));
        return;
    }
    double median = report_figure(time, "median");
    buf_add_time(out, median * 1e-9);
    double low = report_figure(time, "low"), high = report_figure(time, "high"),
           spread = (high - low) / median / 2;
    if (isfinite(spread) && spread < 1) {
        buf_addf(out, " +-%.0f%%", 100 * spread);
    } else if (isfinite(spread)) {
        buf_add(out, " to ");
        buf_add_time(out, high * 1e-9);
    }
}
