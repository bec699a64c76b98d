/*
 * Where the time of `inflight tune` goes: the share of its wall time that is neither
 * compiling nor running variants, asked to be 5 % at most.
 *
 *     bench/overhead [--budget 20s] [--most 5] [KERNEL.c ...]
 *
 * Without names: a handful of templates/kernels and tests/kernels. One line per kernel,
 * shares of the wall time in per cent; the last line holds the sums. Measuring the
 * machine (its memory latency of the moment) stands by itself: it is work, but not on the
 * kernel. Exit 1 when the share of all kernels together is above --most.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static const char *const kernels[] = {
    "templates/kernels/transpose.c", "templates/kernels/dgemm.c",
    "templates/kernels/gather.c",    "templates/kernels/jacobi2d.c",
    "templates/kernels/triad.c",     "tests/kernels/gemm_textbook.c",
    "tests/kernels/spmv_csr.c",      "tests/kernels/stencil_27.c"};

/* Columns of the table: sums of these accounts. */
static const struct {
    const char *title;
    enum account account[3];
    int nr;
} columns[] = {
    {"compiling", {ACCOUNT_COMPILING}, 1},
    {"running variants", {ACCOUNT_VERIFYING, ACCOUNT_TIMING, ACCOUNT_TRACING}, 3},
    {"machine", {ACCOUNT_MACHINE}, 1},
    {"legality, C", {ACCOUNT_ANALYSIS}, 1},
    {"rest", {ACCOUNT_OTHER}, 1},
};

static double share(const struct account_times *times, size_t column)
{
    double sum = 0, total = account_total_s(times);

    for (int i = 0; i < columns[column].nr; i++)
        sum += times->seconds[columns[column].account[i]];
    return total > 0 ? 100 * sum / total : NAN;
}

static void print_row(const char *name, const struct account_times *times,
                      size_t variants)
{
    printf("| %s | %.0f | %zu |", name, account_total_s(times), variants);
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        printf(" %.1f |", share(times, i));
    printf(" %.1f |\n", 100 * account_overhead_share(times));
    fflush(stdout);
}

static struct account_times read_times(const json_t *report)
{
    const json_t *time = json_object_get(report, "time");
    struct account_times times = {{0}};

    for (int i = 0; i < ACCOUNT_NR; i++)
        times.seconds[i] =
            json_number_value(json_object_get(time, account_key((enum account)i)));
    return times;
}

static int run(const char *path, const char *budget, struct account_times *all,
               size_t *variants)
{
    const char *const words[] = {"tune",    path,     "--budget", budget,
                                 "--fresh", "--json", NULL};
    double seconds = 0;
    json_t *report = bench_report("overhead", words, &seconds);
    struct account_times times = read_times(report);
    size_t nr = json_array_size(json_object_get(report, "variants"));

    if (!report)
        return -1;
    print_row(path_base(path), &times, nr);
    for (int i = 0; i < ACCOUNT_NR; i++)
        all->seconds[i] += times.seconds[i];
    *variants += nr;
    json_decref(report);
    return 0;
}

static void print_head(void)
{
    printf("| kernel | wall s | variants |");
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        printf(" %s %% |", columns[i].title);
    puts(" neither compiling nor running % |\n|---|---|---|---|---|---|---|---|---|");
}

static int run_shipped(const char *budget, struct account_times *all, size_t *variants)
{
    int failed = 0;

    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
        char *path = path_join(INFLIGHT_SOURCE_DIR, kernels[i]);

        failed += run(path, budget, all, variants) != 0;
        free(path);
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct account_times all = {{0}};
    const char *budget = "20s";
    size_t variants = 0, named = 0;
    double most = 5;
    int failed = 0;

    print_head();
    for (int i = 1; i < argc; i++) {
        bool value = i + 1 < argc;

        if (value && !strcmp(argv[i], "--budget"))
            budget = argv[++i];
        else if (value && !strcmp(argv[i], "--most"))
            most = atof(argv[++i]);
        else if (++named)
            failed += run(argv[i], budget, &all, &variants) != 0;
    }
    if (named == 0)
        failed = run_shipped(budget, &all, &variants);
    print_row("all", &all, variants);
    double reached = 100 * account_overhead_share(&all);
    printf("\nasked: at most %g %% of all wall time; reached: %.1f %%%s\n", most, reached,
           failed ? "; some kernels failed" : "");
    return failed || reached > most;
}
