#include <math.h>

#include "core/base/array.h"
#include "core/base/figures.h"
#include "tests/check.h"

SUITE(base_units);

typedef int parse_function(const char *, const char *, double *, struct error *);

struct good {
    parse_function *parse;
    const char *text;
    double want;
};

TEST("good texts are read")
{
    static const struct good cases[] = {
        {parse_size, "4096", 4096},
        {parse_size, "64k", 65536},
        {parse_size, "64 KiB", 65536},
        {parse_size, "1.5M", 1572864},
        {parse_size, "2GiB", 2147483648.0},
        {parse_size, "1T", 1099511627776.0},
        {parse_size, "0", 0},
        {parse_time, "2", 2},
        {parse_time, "10us", 1e-5},
        {parse_time, "500ms", 0.5},
        {parse_time, "85ns", 85e-9},
        {parse_time, "2m", 120},
        {parse_time, "1h", 3600},
        {parse_bandwidth, "106.9GB/s", 106.9},
        {parse_bandwidth, "800MB/s", 0.8},
        {parse_bandwidth, "1.2 TB/s", 1200},
        {parse_bandwidth, "1e9B/s", 1},
        {parse_latency, "145", 145},
        {parse_latency, "145 ns", 145},
        {parse_latency, "0.5us", 500},
        {parse_number, "-1.5e3", -1500},
        {parse_number, " .5 ", 0.5},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        double got = NAN;

        check_ok(cases[i].parse(cases[i].text, "--x", &got, &err), &err);
        check_near(got, cases[i].want, 1e-15);
    }
}

TEST("bad texts are refused")
{
    static const struct {
        parse_function *parse;
        const char *text;
    } cases[] = {
        {parse_size, ""},
        {parse_size, "x"},
        {parse_size, "4 parsecs"},
        {parse_size, "64kB"},
        {parse_size, "-1"},
        {parse_size, "1k2"},
        {parse_size, "0x10"},
        {parse_size, "nan"},
        {parse_size, "inf"},
        {parse_size, "1e999"},
        {parse_time, "-2s"},
        {parse_time, "2 days"},
        {parse_time, "s"},
        {parse_latency, "5GB/s"},
        {parse_latency, "-5ns"},
        {parse_bandwidth, "GB/s"},
        {parse_bandwidth, "5 Gb/s"},
        {parse_bandwidth, "106.9"},
        {parse_bandwidth, "-1GB/s"},
        {parse_number, "1,5"},
        {parse_number, "+-1"},
        {parse_number, "."},
        {parse_number, "1 2"},
        {parse_number, "-0x1p3"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        double got;

        check_fails(cases[i].parse(cases[i].text, "--x", &got, &err), &err, STATUS_USAGE,
                    "--x: '");
    }
}

TEST("counts are whole numbers")
{
    struct error err = {0};
    long long count = 0;

    check_ok(parse_count("64k", "n", &count, &err), &err);
    check_eq(count, 65536);
    check_ok(parse_count("-3", "n", &count, &err), &err);
    check_eq(count, -3);
    check_ok(parse_count("1.5M", "n", &count, &err), &err);
    check_eq(count, 1572864);
    check_ok(parse_count("1e6", "n", &count, &err), &err);
    check_eq(count, 1000000);
    check_fails(parse_count("1.5", "n", &count, &err), &err, STATUS_USAGE,
                "whole number");
    check_fails(parse_count("1e30", "n", &count, &err), &err, STATUS_USAGE, "2^53");
    check_fails(parse_count("4KiB", "n", &count, &err), &err, STATUS_USAGE, "'4KiB'");
}
