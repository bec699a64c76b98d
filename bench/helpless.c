/*
 * Kernels that cannot be helped: does `inflight tune` say so, within ten tries, with the
 * resource that sets the limit, and does the counter-experiment agree? One row a kernel;
 * words behind -- go to inflight. A kernel that turns out to gain is no failure: its row
 * says so. Exit 1 when one neither gains nor is said to be helpless in time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { TRIES_MOST = 10 };

static const struct row {
    const char *name, *file, *define; /* NULL = none */
} rows[] = {
    {"copy", "tests/kernels/copy_stream.c", NULL},
    {"triad", "templates/kernels/triad.c", NULL},
    {"pointer chase", "bench/kernels/chase.c", "-DK=1"},
    {"scatter_local", "templates/kernels/scatter_local.c", NULL},
};

/* 0 = said in time, or it gained. */
static int print_report(const struct row *row, const json_t *report, double seconds)
{
    const json_t *left = json_object_get(report, "left"),
                 *gain = json_object_get(report, "source_gain"),
                 *confirm = json_object_get(report, "confirm");
    bool helpless = json_is_true(json_object_get(left, "helpless")),
         gained = *bench_text(json_object_get(report, "best"), "plan") &&
                  json_number_value(json_object_get(gain, "low")) > 1;
    double tries = bench_value(left, "tries");
    struct buf line = {0};
    buf_addf(&line, "| %s | %s | %.0f | %s | ", row->name,
             helpless ? "said"
             : gained ? "it gains"
                      : "not said",
             tries, bench_text(left, "resource"));
    bench_gain(json_object_get(left, "bound"), &line);
    buf_add(&line, " | ");
    bench_gain(json_object_get(left, "least_work_bound"), &line);
    buf_add(&line, " | ");
    bench_gain(gain, &line);
    buf_add(&line, " | ");
    bench_gain(json_object_get(report, "environment_gain"), &line);
    buf_addf(&line, " | %s %s | %.0f s |", bench_text(confirm, "experiment"),
             bench_text(confirm, "verdict"), seconds);
    puts(buf_str(&line));
    fflush(stdout);
    buf_release(&line);
    return gained || (helpless && tries <= TRIES_MOST) ? 0 : 1;
}

static int run(const struct row *row, char **extra, int extra_nr)
{
    char *path = xasprintf("%s/%s", INFLIGHT_SOURCE_DIR, row->file);
    struct strvec words = {0};
    double seconds = 0;
    strvec_push(&words, "tune");
    strvec_push(&words, path);
    strvec_push(&words, "--fresh");
    strvec_push(&words, "--json");
    strvec_push(&words, "--confirm");
    for (int i = 0; i < extra_nr; i++)
        strvec_push(&words, extra[i]);
    if (row->define) {
        strvec_push(&words, "--");
        strvec_push(&words, row->define);
    }
    json_t *report = bench_report(row->name, (const char *const *)words.v, &seconds);
    if (!report)
        printf("| %s | failed |\n", row->name);
    int status = report ? print_report(row, report, seconds) : 1;
    json_decref(report);
    strvec_release(&words);
    free(path);
    return status;
}

int main(int argc, char **argv)
{
    bool extra = argc > 1 && !strcmp(argv[1], "--");
    int failed = 0;
    puts(
        "| kernel | helpless | tries | limit | without less work | with the least work | "
        "source gain | huge pages | counter-experiment | tune took |");
    puts("|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        failed += run(&rows[i], extra ? argv + 2 : argv, extra ? argc - 2 : 0);
    return failed > 0;
}
