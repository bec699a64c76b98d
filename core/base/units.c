#include "core/base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

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
    {"", 1}, {"B/s", 1e-9}, {"kB/s", 1e-6}, {"MB/s", 1e-3}, {"GB/s", 1}, {"TB/s", 1e3},
};
static const struct unit latency_units[] = {
    {"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9},
};
static const struct unit count_units[] = {
    {"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9},
};
static const struct unit no_units[] = {{"", 1}};

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

    if (parse(text, what, "a whole number such as 4096, 64k or 2M", count_units,
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
