/*
 * The figures of the six template kernels: `inflight tune` on each, source and
 * environment gain apart. Prints one row a template; reports stay in build/bench. Names
 * as arguments restrict it; words behind -- go to inflight.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static const struct row {
    const char *name, *expected;
} rows[] = {
    {"transpose", "source >= 1.8x"},
    {"dgemm", "source >= 10x"},
    {"gather", "source >= 2.5x; L1 queue from below 0.3 to above 0.5"},
    {"histogram", "environment >= 1.3x; limiter page_walkers"},
    {"scatter_local", "L1 queue 0.75 to 1.25; no false gain"},
    {"triad", "no false win; limiter memory or l2_mshrs"},
};

static void print_report(const struct row *row, const json_t *report, double seconds)
{
    struct buf line = {0};
    const json_t *baseline = json_object_get(report, "baseline");
    const json_t *best = json_object_get(report, "best");

    buf_addf(&line, "| %s | %s | ", row->name, row->expected);
    bench_gain(json_object_get(report, "source_gain"), &line);
    buf_addf(&line, " %s | ", bench_text(best, "plan"));
    bench_gain(json_object_get(report, "environment_gain"), &line);
    buf_add(&line, " | ");
    bench_gain(json_object_get(report, "total_gain"), &line);
    buf_addf(&line, " | %s | %.2f to %.2f | %.0f s |", bench_text(report, "limiter"),
             bench_utilization(baseline, "l1_mshrs"), bench_utilization(best, "l1_mshrs"),
             seconds);
    puts(buf_str(&line));
    fflush(stdout);
    buf_release(&line);
}

static int run(const struct row *row, char **extra, int extra_nr)
{
    char *path = xasprintf("%s/templates/kernels/%s.c", INFLIGHT_SOURCE_DIR, row->name);
    struct strvec words = {0};
    double seconds = 0;

    strvec_push(&words, "tune");
    strvec_push(&words, path);
    strvec_push(&words, "--fresh");
    strvec_push(&words, "--json");
    for (int i = 0; i < extra_nr; i++)
        strvec_push(&words, extra[i]);
    json_t *report = bench_report(row->name, (const char *const *)words.v, &seconds);
    if (report)
        print_report(row, report, seconds);
    else
        printf("| %s | %s | failed |\n", row->name, row->expected);
    int status = report ? 0 : 1;
    json_decref(report);
    strvec_release(&words);
    free(path);
    return status;
}

static bool wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    int names = 1, failed = 0;

    while (names < argc && strcmp(argv[names], "--"))
        names++;
    char **extra = argv + (names < argc ? names + 1 : names);
    int extra_nr = (int)(argv + argc - extra);
    puts("| template | expected | source gain (95 % interval), plan | environment gain "
         "(huge "
         "pages) | both | limiter as written | L1 queue before to after | tune took |");
    puts("|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (wanted(rows[i].name, names, argv))
            failed += run(&rows[i], extra, extra_nr);
    return failed > 0;
}
