#include "core/base/figures.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/error.h"

/* ---- the rule ---- */

enum { DIGITS = 3, DIGITS_MIN = 2, DIGITS_MAX = 5 };

static bool looks_alike(double a, double b, int decimals)
{
    double unit = pow(10, -decimals);
    return a != b && round(a / unit) == round(b / unit);
}

/* Digits before the first that half the interval makes uncertain, of a value that begins
 * at the decimal `first`: two uncertain digits up to 35, else one. */
static int certain_digits(int first, double half)
{
    int decimal = (int)floor(log10(half));
    bool two = half / pow(10, decimal) < 3.55;
    return first - decimal + 1 + two;
}

/* Significant digits of the value of something with two ends. */
static int digits_of(struct quantity q)
{
    int digits = DIGITS;
    if (q.value == 0)
        return digits;
    int first = (int)floor(log10(fabs(q.value))),
        certain = certain_digits(first, (q.high - q.low) / 2);
    if (certain < digits)
        digits = certain < DIGITS_MIN ? DIGITS_MIN : certain;
    while (digits < DIGITS_MAX && (looks_alike(q.low, q.value, digits - 1 - first) ||
                                   looks_alike(q.value, q.high, digits - 1 - first)))
        digits++;
    return digits;
}

/* ---- numbers ---- */

/* printf's exponent without its padding: 1.23e+09 becomes 1.23e9. */
static void add_scientific(struct buf *buf, double number, int digits)
{
    char text[64], *exponent;

    snprintf(text, sizeof(text), "%.*e", digits - 1, number);
    exponent = strchr(text, 'e');
    buf_add_n(buf, text, (size_t)(exponent - text));
    buf_addf(buf, "e%d", atoi(exponent + 1));
}

/* Of numbers above a million, up to 1e15. */
static const struct {
    double one;
    const char *prefix;
} prefixes[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}};

/* "114 M": the unit comes behind it. */
static void add_prefixed(struct buf *buf, double number, int digits)
{
    size_t i = 0;
    while (fabs(number) < prefixes[i].one)
        i++;
    double shown = number / prefixes[i].one;
    int before = (int)floor(log10(fabs(shown))) + 1;
    buf_addf(buf, "%.*f%s", digits > before ? digits - before : 0, shown,
             prefixes[i].prefix);
}

/* Not finite, or too large or small to be written out. */
static bool add_unusual(struct buf *buf, double number, int digits)
{
    double size = fabs(number);
    if (!isfinite(number))
        buf_add(buf, isnan(number) ? "unknown" : number > 0 ? "infinite" : "-infinite");
    else if (size >= 1e6 && size < 1e15)
        add_prefixed(buf, number, digits);
    else if (size >= 1e6 || (size > 0 && size < 1e-3))
        add_scientific(buf, number, digits);
    else
        return false;
    return true;
}

void buf_add_number(struct buf *buf, double number)
{
    if (add_unusual(buf, number, DIGITS))
        return;
    buf_addf(buf, fabs(number) >= 999.5 ? "%.0f" : "%.3g", number);
}

/* One of value, low and high, with the digits that the value has. */
static void add_aligned(struct buf *buf, double number, double value, int digits)
{
    int before = value != 0 ? (int)floor(log10(fabs(value))) + 1 : 1;
    if (!add_unusual(buf, number, digits))
        buf_addf(buf, "%.*f", digits > before ? digits - before : 0, number);
}

/* "87.5 GFLOP/s": these take their prefix without a blank. */
static bool joins_prefix(const struct buf *buf, const char *unit)
{
    static const char *const units[] = {"FLOP", "B/s"};
    bool has_prefix = false, joins = false;
    for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
        has_prefix =
            has_prefix ||
            (buf->length > 2 && !strcmp(buf->data + buf->length - 2, prefixes[i].prefix));
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        joins = joins || !strncmp(unit, units[i], strlen(units[i]));
    return has_prefix && joins;
}

static void add_unit(struct buf *buf, const char *unit)
{
    buf_addf(buf, "%s%s", *unit && !joins_prefix(buf, unit) ? " " : "", unit);
}

static void add_with_unit(struct buf *buf, double number, const char *unit)
{
    buf_add_number(buf, number);
    if (!isnan(number))
        add_unit(buf, unit);
}

struct step {
    double from, one; /* the unit is for what is this large; and in the base unit */
    const char *unit;
};

static const struct step sizes[] = {{1099511627776.0, 1099511627776.0, "TiB"},
                                    {1073741824.0, 1073741824.0, "GiB"},
                                    {1048576.0, 1048576.0, "MiB"},
                                    {1024.0, 1024.0, "KiB"},
                                    {0, 1, "B"}};
static const struct step decimal_sizes[] = {{999.5e9, 1e12, "TB"},
                                            {999.5e6, 1e9, "GB"},
                                            {999.5e3, 1e6, "MB"},
                                            {999.5, 1e3, "kB"},
                                            {0, 1, "B"}};
static const struct step times[] = {
    {7200, 3600, "h"},  {120, 60, "min"},      {1, 1, "s"}, {1e-3, 1e-3, "ms"},
    {1e-6, 1e-6, "us"}, {DBL_MIN, 1e-9, "ns"}, {0, 1, "s"}};

static const struct step *step_of(const struct step *step, double number)
{
    while (step->from > 0 && !(fabs(number) >= step->from))
        step++;
    return step;
}

static void add_stepped(struct buf *buf, const struct step *steps, double number)
{
    const struct step *step = step_of(steps, number);
    add_with_unit(buf, number / step->one, step->unit);
}

void buf_add_size(struct buf *buf, double number)
{
    add_stepped(buf, sizes, number);
}

void buf_add_bytes(struct buf *buf, double number)
{
    add_stepped(buf, decimal_sizes, number);
}

void buf_add_time(struct buf *buf, double seconds)
{
    add_stepped(buf, times, seconds);
}

/* ---- quantities ---- */

static struct quantity scaled(struct quantity quantity, double scale)
{
    quantity.value *= scale;
    quantity.low *= scale;
    quantity.high *= scale;
    return quantity;
}

/* Value, low or high. Without an interval zeros at the end say nothing. */
static void add_end(struct buf *buf, double end, struct quantity q)
{
    if (q.high > q.low && isfinite(q.high - q.low))
        add_aligned(buf, end, q.value, digits_of(q));
    else
        buf_add_number(buf, end);
}

void buf_add_value(struct buf *buf, struct quantity quantity, double scale,
                   const char *unit)
{
    if (!quantity.known) {
        buf_add(buf, "unknown");
        return;
    }
    struct quantity q = scaled(quantity, scale);
    add_end(buf, q.value, q);
    add_unit(buf, unit);
}

/* "12.1 to 12.6"; `add` prints an end. */
static void add_words(struct buf *buf, struct quantity q,
                      void (*add)(struct buf *, double, struct quantity))
{
    if (!q.known || q.low == q.high)
        return;
    if (q.doubted) {
        buf_add(buf, "the machine was busy");
        return;
    }
    if (isinf(q.low))
        buf_add(buf, "at most ");
    else
        add(buf, q.low, q);
    buf_add(buf, isinf(q.high) ? " or more" : isinf(q.low) ? "" : " to ");
    if (!isinf(q.high))
        add(buf, q.high, q);
}

/* "12.1 to 12.6", "12.1 or more", "at most 12.6"; "" of what is exact or unknown; "the
 * machine was busy" of what is doubted. */
static void buf_add_range(struct buf *buf, struct quantity quantity, double scale)
{
    add_words(buf, scaled(quantity, scale), add_end);
}

void buf_add_interval(struct buf *buf, struct quantity quantity, double scale)
{
    struct quantity q = scaled(quantity, scale);
    if (!q.known || q.low == q.high)
        return;
    buf_add(buf, "[");
    if (isinf(q.low) || isinf(q.high)) {
        buf_add_range(buf, quantity, scale);
    } else {
        add_end(buf, q.low, q);
        buf_add(buf, ", ");
        add_end(buf, q.high, q);
    }
    buf_add(buf, "]");
}

void buf_add_figure(struct buf *buf, struct quantity quantity, double scale,
                    const char *unit)
{
    buf_add_value(buf, quantity, scale, unit);
    if (!quantity.known || quantity.low == quantity.high)
        return;
    if (isinf(quantity.high) && quantity.low == quantity.value) {
        buf_add(buf, " or more");
        return;
    }
    buf_add(buf, " ");
    buf_add_interval(buf, quantity, scale);
}

void buf_add_bytes_figure(struct buf *buf, struct quantity quantity)
{
    const struct step *step = step_of(decimal_sizes, quantity.value);
    buf_add_figure(buf, quantity, 1 / step->one, step->unit);
}

void buf_add_time_figure(struct buf *buf, struct quantity seconds)
{
    const struct step *step = step_of(times, seconds.value);
    buf_add_figure(buf, seconds, 1 / step->one, step->unit);
}

static void add_right(struct buf *buf, struct buf *cell, int width)
{
    buf_addf(buf, "%*s", width, buf_str(cell));
    buf_release(cell);
}

void buf_add_cell(struct buf *buf, struct quantity quantity, double scale, int width)
{
    struct buf cell = {0};
    if (quantity.known)
        buf_add_number(&cell, quantity.value * scale);
    else
        buf_add(&cell, "?");
    add_right(buf, &cell, width);
}

void buf_add_between(struct buf *buf, struct quantity quantity, double scale)
{
    struct quantity q = scaled(quantity, scale);
    if (!q.known) {
        buf_add(buf, "an unknown number");
    } else if (isinf(q.high)) {
        buf_add(buf, "at least ");
        buf_add_number(buf, q.low);
    } else if (q.high - q.low > 0.2 * q.value) {
        buf_add(buf, "between ");
        add_end(buf, q.low, q);
        buf_add(buf, " and ");
        add_end(buf, q.high, q);
    } else {
        buf_add_number(buf, q.value);
    }
}

/* ---- ratios ---- */

/* Of the value; and of its ends, which may need more to be told apart from it. */
static int ratio_decimals(struct quantity ratio)
{
    double size = fabs(ratio.value);
    int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    while (ratio.low < ratio.high && decimals < DIGITS_MAX - 1 &&
           (looks_alike(ratio.low, ratio.value, decimals) ||
            looks_alike(ratio.value, ratio.high, decimals)))
        decimals++;
    return decimals;
}

static void add_ratio_end(struct buf *buf, double end, struct quantity ratio)
{
    if (isfinite(end))
        buf_addf(buf, "%.*f", ratio_decimals(ratio), end);
    else
        buf_add_number(buf, end);
}

void buf_add_times(struct buf *buf, double ratio)
{
    if (isnan(ratio)) {
        buf_add(buf, "?");
        return;
    }
    add_ratio_end(buf, ratio, quantity_exact(ratio, PROVENANCE_NONE));
    buf_add(buf, "x");
}

void buf_add_ratio_value(struct buf *buf, struct quantity ratio)
{
    if (!ratio.known || ratio.doubted) {
        buf_add(buf, ratio.known ? "not believed" : "unknown");
        return;
    }
    add_ratio_end(buf, ratio.value, ratio);
    buf_add(buf, "x");
}

void buf_add_ratio_range(struct buf *buf, struct quantity ratio)
{
    add_words(buf, ratio, add_ratio_end);
}

void buf_add_ratio(struct buf *buf, struct quantity ratio)
{
    buf_add_ratio_value(buf, ratio);
    if (!ratio.known || ratio.low == ratio.high)
        return;
    buf_add(buf, ratio.doubted ? ", " : " (");
    buf_add_ratio_range(buf, ratio);
    buf_add(buf, ratio.doubted ? "" : ")");
}

/* ---- shares ---- */

static void add_percent(struct buf *buf, double share)
{
    if (isfinite(share))
        buf_addf(buf, "%.0f", 100 * share);
    else
        buf_add(buf, "?");
}

void buf_add_percent(struct buf *buf, double share)
{
    add_percent(buf, share);
    buf_add(buf, " %");
}

static void add_share_end(struct buf *buf, double end, struct quantity share)
{
    (void)share;
    add_percent(buf, end);
}

void buf_add_share(struct buf *buf, struct quantity share)
{
    if (!share.known) {
        buf_add(buf, "unknown");
        return;
    }
    buf_add_percent(buf, share.value);
    if (share.low == share.high)
        return;
    buf_add(buf, " (");
    add_words(buf, share, add_share_end);
    buf_add(buf, ")");
}

void buf_add_tenths(struct buf *buf, double share)
{
    buf_addf(buf, "%.1f", 100 * share);
}

void buf_add_tenths_interval(struct buf *buf, struct quantity share)
{
    if (!share.known || !(share.low < share.high) ||
        looks_alike(share.low, share.high, 3) /* a tenth of a percent */)
        return;
    buf_add(buf, "[");
    buf_add_tenths(buf, share.low);
    buf_add(buf, ", ");
    buf_add_tenths(buf, share.high);
    buf_add(buf, "]");
}

void buf_add_share_cell(struct buf *buf, struct quantity share, int width)
{
    struct buf cell = {0};
    if (share.known && share.low > 1) {
        buf_add(&cell, "impossible");
    } else if (share.known) {
        add_percent(&cell, fmin(share.value, 1));
        buf_add(&cell, "%");
    } else {
        buf_add(&cell, "?");
    }
    if (share.known && share.low < 1 && share.high > share.low) {
        buf_add(&cell, " (");
        add_percent(&cell, share.low);
        buf_add(&cell, "-");
        add_percent(&cell, isinf(share.high) ? NAN : fmin(share.high, 1));
        buf_add(&cell, ")");
    }
    add_right(buf, &cell, width);
}

void buf_add_share_between(struct buf *buf, struct quantity share)
{
    if (!share.known) {
        buf_add(buf, "an unknown share");
    } else if (share.high - share.low <= 0.1) {
        buf_add_percent(buf, share.value);
    } else if (isinf(share.high)) {
        buf_add(buf, "at least ");
        buf_add_percent(buf, share.low);
    } else {
        add_percent(buf, share.low);
        buf_add(buf, " to ");
        buf_add_percent(buf, share.high);
    }
}

struct unit {
    const char *name;
    double factor;
};

static const struct unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"k", 1024.0},
    {"K", 1024.0},
    {"KiB", 1024.0},
    {"M", 1048576.0},
    {"MiB", 1048576.0},
    {"G", 1073741824.0},
    {"GiB", 1073741824.0},
    {"T", 1099511627776.0},
    {"TiB", 1099511627776.0},
};
static const struct unit time_units[] = {
    {"", 1},  {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},
    {"s", 1}, {"m", 60},    {"min", 60},  {"h", 3600},
};
static const struct unit bandwidth_units[] = {
    {"B/s", 1e-9}, {"kB/s", 1e-6}, {"MB/s", 1e-3}, {"GB/s", 1}, {"TB/s", 1e3},
};
static const struct unit latency_units[] = {
    {"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9},
};
static const struct unit count_units[] = {
    {"", 1},
    {"k", 1024.0},
    {"K", 1024.0},
    {"Ki", 1024.0},
    {"M", 1048576.0},
    {"Mi", 1048576.0},
    {"G", 1073741824.0},
    {"Gi", 1073741824.0},
    {"T", 1099511627776.0},
    {"Ti", 1099511627776.0},
};
static const struct unit no_units[] = {{"", 1}};

double count_prefix(const char **at)
{
    double factor = 1;
    size_t length = 0;
    for (size_t i = 0; i < ARRAY_SIZE(count_units); i++)
        if (strlen(count_units[i].name) > length &&
            !strncmp(*at, count_units[i].name, strlen(count_units[i].name))) {
            length = strlen(count_units[i].name);
            factor = count_units[i].factor;
        }
    *at += length;
    return factor;
}

/* A decimal number at the start of text; NULL if there is none. strtod alone would also
 * take hex, inf and nan. */
static const char *scan_number(const char *text, double *number)
{
    size_t sign = strspn(text, "+-");
    char *end;

    if (sign > 1 || !(isdigit((unsigned char)text[sign]) || text[sign] == '.') ||
        strncmp(text + sign, "0x", 2) == 0 || strncmp(text + sign, "0X", 2) == 0)
        return NULL;
    *number = strtod(text, &end);
    return end == text || !isfinite(*number) ? NULL : end;
}

static int parse(const char *text, const char *what, const char *expected,
                 const struct unit *unit, size_t unit_nr, double *out, struct error *err)
{
    const char *rest = scan_number(text + strspn(text, " \t"), out);

    if (rest) {
        rest += strspn(rest, " \t");
        for (size_t i = 0; i < unit_nr; i++) {
            if (strcmp(rest, unit[i].name) == 0) {
                *out *= unit[i].factor;
                return 0;
            }
        }
    }
    return fail(err, STATUS_USAGE, "%s: '%s' is not %s", what, text, expected);
}

static int parse_positive(const char *text, const char *what, const char *expected,
                          const struct unit *unit, size_t unit_nr, double *out,
                          struct error *err)
{
    if (parse(text, what, expected, unit, unit_nr, out, err))
        return -1;
    if (*out < 0)
        return fail(err, STATUS_USAGE, "%s: '%s' is negative", what, text);
    return 0;
}

int parse_size(const char *text, const char *what, double *bytes, struct error *err)
{
    return parse_positive(text, what, "a size such as 4096, 64k, 1.5M or 2GiB",
                          size_units, ARRAY_SIZE(size_units), bytes, err);
}

int parse_time(const char *text, const char *what, double *seconds, struct error *err)
{
    return parse_positive(text, what, "a time such as 2s, 500ms, 10us or 5m", time_units,
                          ARRAY_SIZE(time_units), seconds, err);
}

int parse_bandwidth(const char *text, const char *what, double *gbs, struct error *err)
{
    double number;
    const char *end = scan_number(text + strspn(text, " \t"), &number);
    if (end && !*end)
        return fail(err, STATUS_USAGE,
                    "%s: '%s' has no unit; write %sGB/s, or MB/s or TB/s", what, text,
                    text);
    return parse_positive(text, what, "a bandwidth such as 106.9GB/s or 800MB/s",
                          bandwidth_units, ARRAY_SIZE(bandwidth_units), gbs, err);
}

int parse_latency(const char *text, const char *what, double *ns, struct error *err)
{
    return parse_positive(text, what, "a latency such as 145ns or 0.2us", latency_units,
                          ARRAY_SIZE(latency_units), ns, err);
}

int parse_count(const char *text, const char *what, long long *count, struct error *err)
{
    double number;

    if (parse(text, what, "a whole number such as 8, 1e6 or 64k (65536)", count_units,
              ARRAY_SIZE(count_units), &number, err))
        return -1;
    if (number != floor(number) || fabs(number) > 9007199254740992.0) /* 2^53 */
        return fail(err, STATUS_USAGE, "%s: '%s' is not a whole number below 2^53", what,
                    text);
    *count = (long long)number;
    return 0;
}

int parse_number(const char *text, const char *what, double *number, struct error *err)
{
    return parse(text, what, "a number", no_units, ARRAY_SIZE(no_units), number, err);
}
