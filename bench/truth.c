/*
 * The truth test: programs of k independent pointer chases have k misses in flight by
 * construction; what `inflight advise` reports is set beside k. Prints a table; exit 1
 * when one is off by more than 10 %.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

static const int chains[] = {1, 2, 4, 8, 12};

static int run(int k)
{
    char *path = xasprintf("%s/bench/kernels/chase.c", INFLIGHT_SOURCE_DIR);
    char *define = xasprintf("-DK=%d", k), *name = xasprintf("chase%d", k);
    const char *const words[] = {"advise", path, "--fresh", "--json", "--", define, NULL};
    double seconds = 0;
    json_t *report = bench_report(name, words, &seconds);
    const json_t *analysis =
        json_object_get(json_object_get(report, "baseline"), "analysis");
    double n = bench_value(analysis, "in_flight");

    printf("| %d | %.2f | %+.0f %% | %s | %s | %.0f s |\n", k, n, 100 * (n / k - 1),
           bench_text(report, "limiter"), bench_text(report, "why"), seconds);
    fflush(stdout);
    json_decref(report);
    free(path);
    free(define);
    free(name);
    return fabs(n / k - 1) <= 0.10 ? 0 : 1;
}

int main(void)
{
    int off = 0;

    puts("| chains k | reported in flight | off by | limiter | why | advise took |");
    puts("|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(chains); i++)
        off += run(chains[i]);
    return off > 0;
}
