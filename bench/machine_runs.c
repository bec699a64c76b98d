/*
 * How steady `inflight machine` is: [N] runs (10), each into a profile of its own. Prints
 * what each says of the miss queues and the latency of memory, then the spread over the
 * runs. The profiles stay in build/bench/. Usage: machine_runs [N] [--quick]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { RUNS_MAX = 1000 };

struct run {
    double l1, latency_ns;
    bool unstable;
};

/* "15 (14 to 16)", "14.7 or more" or "-". */
static char *range_text(const json_t *quantity)
{
    double value = bench_value(quantity, "value"), low = bench_value(quantity, "low"),
           high = bench_value(quantity, "high");

    if (isnan(value))
        return xstrdup("-");
    return isnan(high) ? xasprintf("%.3g or more", value)
                       : xasprintf("%.3g (%.3g to %.3g)", value, low, high);
}

static json_t *profile_of(size_t number, bool quick, double *seconds)
{
    char *path = xasprintf("%s/machine_run%zu.json", BENCH_DIR, number);
    json_t *profile = bench_profile(path, quick, seconds);

    free(path);
    return profile;
}

static struct run say_run(size_t number, const json_t *profile, double seconds)
{
    const json_t *l1 = json_object_get(profile, "l1_mshrs"),
                 *l2 = json_object_get(profile, "l2_mshrs"),
                 *latency = json_object_get(profile, "memory_latency_ns");
    struct run run = {
        .l1 = bench_value(l1, "used"),
        .latency_ns = bench_value(latency, "value"),
        .unstable = json_is_true(json_object_get(profile, "unstable")),
    };
    char *used = range_text(json_object_get(l1, "used")),
         *probe = range_text(json_object_get(l1, "probe")),
         *below = range_text(json_object_get(l2, "used")), *ns = range_text(latency);

    printf("| %zu | %s | %s | %s | %s | %s | %.0f s |\n", number, used, probe, below, ns,
           run.unstable ? "unstable" : "stable", seconds);
    fflush(stdout);
    free(used);
    free(probe);
    free(below);
    free(ns);
    return run;
}

static void say_spread(const struct run *run, size_t nr)
{
    double l1_low = INFINITY, l1_high = 0, ns_low = INFINITY, ns_high = 0;
    size_t unstable = 0;

    for (size_t i = 0; i < nr; i++) {
        l1_low = fmin(l1_low, run[i].l1);
        l1_high = fmax(l1_high, run[i].l1);
        ns_low = fmin(ns_low, run[i].latency_ns);
        ns_high = fmax(ns_high, run[i].latency_ns);
        unstable += run[i].unstable;
    }
    printf("\nL1 limit %g to %g: +- %.1f; latency %.1f to %.1f ns: %.1f %% between the "
           "farthest; %zu of %zu runs unstable\n",
           l1_low, l1_high, (l1_high - l1_low) / 2, ns_low, ns_high,
           100 * (ns_high / ns_low - 1), unstable, nr);
}

int main(int argc, char **argv)
{
    static struct run run[RUNS_MAX];
    size_t wanted = 10, nr = 0;
    bool quick = false;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick"))
            quick = true;
        else
            wanted = strtoul(argv[i], NULL, 10);
    }
    if (wanted < 1 || wanted > RUNS_MAX) {
        fprintf(stderr, "usage: machine_runs [1 to %d, default 10] [--quick]\n",
                RUNS_MAX);
        return 2;
    }
    puts("| run | L1 limit used | L1 knee | L2 limit | latency of memory, ns | | took |");
    puts("|---|---|---|---|---|---|---|");
    for (size_t i = 1; i <= wanted; i++) {
        double seconds = 0;
        json_t *profile = profile_of(i, quick, &seconds);

        if (profile)
            run[nr++] = say_run(i, profile, seconds);
        json_decref(profile);
    }
    if (nr)
        say_spread(run, nr);
    return nr < wanted;
}
