/* Numbers, intervals and units as text: the one rule of rounding. */
#include "core/base/figures.h"

#include <math.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "tests/check.h"

SUITE(base_figures);

struct shown {
    double number;
    const char *want;
};

static void check_shown(void (*add)(struct buf *, double), const struct shown *cases,
                        size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct buf buf = {0};

        add(&buf, cases[i].number);
        check_str(buf_str(&buf), cases[i].want);
        buf_release(&buf);
    }
}

TEST("numbers are shown with three digits")
{
    static const struct shown numbers[] = {
        {0, "0"},
        {1, "1"},
        {1.5, "1.5"},
        {12.345, "12.3"},
        {999.4, "999"},
        {999.7, "1000"},
        {1234.5, "1234"},
        {1.2345e9, "1.23 G"},
        {1e6, "1.00 M"},
        {2.5e-5, "2.50e-5"},
        {-3.14159, "-3.14"},
        {NAN, "unknown"},
        {INFINITY, "infinite"},
    };

    check_shown(buf_add_number, numbers, ARRAY_SIZE(numbers));
}

TEST("sizes and times are shown with units")
{
    static const struct shown sizes[] = {
        {0, "0 B"},
        {512, "512 B"},
        {65536, "64 KiB"},
        {1610612736, "1.5 GiB"},
        {1099511627776.0, "1 TiB"},
        {NAN, "unknown"},
    };
    static const struct shown times[] = {
        {0, "0 s"},       {12.3e-3, "12.3 ms"}, {85e-9, "85 ns"}, {4.5e-6, "4.5 us"},
        {59.5, "59.5 s"}, {150, "2.5 min"},     {9000, "2.5 h"},
    };

    check_shown(buf_add_size, sizes, ARRAY_SIZE(sizes));
    check_shown(buf_add_time, times, ARRAY_SIZE(times));
}

static struct quantity between(double low, double value, double high)
{
    return quantity_between(value, low, high, 0, PROVENANCE_PROBE);
}

struct range {
    double low, value, high;
    const char *want;
};

static void check_ranges(void (*add)(struct buf *, struct quantity),
                         const struct range *cases, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct buf buf = {0};

        add(&buf, isnan(cases[i].value)
                      ? quantity_unknown()
                      : between(cases[i].low, cases[i].value, cases[i].high));
        check_str(buf_str(&buf), cases[i].want);
        buf_release(&buf);
    }
}

static void add_gbs(struct buf *buf, struct quantity quantity)
{
    buf_add_figure(buf, quantity, 1, "GB/s");
}

static void add_sentence(struct buf *buf, struct quantity quantity)
{
    buf_add_between(buf, quantity, 1);
}

TEST("digits follow the interval")
{
    static const struct range figures[] = {
        {12.34, 12.34, 12.34, "12.3 GB/s"},
        {12.1, 12.34, 12.6, "12.3 GB/s [12.1, 12.6]"},
        {151, 155, 160, "155 GB/s [151, 160]"},
        {7.13, 12.34, 40.2, "12 GB/s [7, 40]"}, /* the third digit says nothing */
        {7.13, 9.8, 12, "9.8 GB/s [7.1, 12.0]"},
        {110.2, 110.4, 110.6, "110.4 GB/s [110.2, 110.6]"},          /* ends told apart */
        {110.2999, 110.3, 110.3001, "110.30 GB/s [110.30, 110.30]"}, /* five at most */
        {12000, 12434, 12800, "12434 GB/s [12000, 12800]"},
        {1.1e16, 1.25e16, 1.4e16, "1.25e16 GB/s [1.10e16, 1.40e16]"},
        {12, 12, INFINITY, "12 GB/s or more"},
        {12, 15, INFINITY, "15 GB/s [12 or more]"},
        {-INFINITY, 15, 16, "15 GB/s [at most 16]"},
        {0, 0, 0.5, "0.00 GB/s [0.00, 0.50]"},
        {0, NAN, 0, "unknown"},
    };
    static const struct range ratios[] = {
        {1.85, 1.85, 1.85, "1.85x"},
        {1.8, 1.85, 1.9149, "1.85x (1.80 to 1.91)"},
        {0.97, 1.9, 3, "1.90x (0.97 to 3.00)"},
        {0.9962, 0.997, 0.9978, "0.997x (0.996 to 0.998)"},
        {75.1, 76.4, 77.7, "76.4x (75.1 to 77.7)"},
        {101, 123.4, 140, "123x (101 to 140)"},
        {4, 4.7, INFINITY, "4.70x (4.00 or more)"},
        {0, NAN, 0, "unknown"},
    };
    static const struct range shares[] = {
        {0.55, 0.59, 0.61, "59 % (55 to 61)"},
        {0.55, 0.59, INFINITY, "59 % (55 or more)"},
        {0.5, 0.5, 0.5, "50 %"},
        {0, NAN, 0, "unknown"},
    };
    static const struct range tenths[] = {
        {0.458, 0.5, 0.5424, "[45.8, 54.2]"},
        {0.4996, 0.5, 0.5004, ""},
        {0.5, 0.5, 0.5, ""},
        {0, NAN, 0, ""},
    };
    static const struct range sentences[] = {
        {9.7, 9.8, 9.9, "9.8"},
        {7.1, 9.8, 12, "between 7.1 and 12.0"},
        {7.1, 9.8, INFINITY, "at least 7.1"},
        {0, NAN, 0, "an unknown number"},
    };

    check_ranges(add_gbs, figures, ARRAY_SIZE(figures));
    check_ranges(buf_add_ratio, ratios, ARRAY_SIZE(ratios));
    check_ranges(buf_add_share, shares, ARRAY_SIZE(shares));
    check_ranges(buf_add_tenths_interval, tenths, ARRAY_SIZE(tenths));
    check_ranges(add_sentence, sentences, ARRAY_SIZE(sentences));
}

TEST("what is doubted is not told")
{
    struct quantity gain = between(1.8, 1.85, 1.9);
    struct buf buf = {0};

    gain.doubted = true;
    buf_add_ratio(&buf, gain);
    check_str(buf_str(&buf), "not believed, the machine was busy");
    buf_release(&buf);
}

TEST("large rates have a prefix")
{
    static const struct {
        double value;
        const char *unit, *text;
    } cases[] = {{8.75e10, "FLOP/s", "87.5 GFLOP/s"},
                 {1.14e8, "walks/s", "114 M walks/s"},
                 {114, "walks/s", "114 walks/s"},
                 {3e12, "", "3.00 T"}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf buf = {0};
        buf_add_value(&buf, quantity_exact(cases[i].value, PROVENANCE_PROBE), 1,
                      cases[i].unit);
        check_str(buf_str(&buf), cases[i].text);
        buf_release(&buf);
    }
}
