/*
 * The first diagnosis on a machine that claims a huge L3: hwloc is told of one of 260 MiB
 * (or MIB), whatever this machine has. One full profile without the claim, then [N] quick
 * ones (5) with it: what a core gets of L3 beside the full profile's, and what `inflight
 * advise` says of 1, 4 and 8 chases with each. Usage: first_answer [N] [MIB]. Exit 1 when
 * an L3 is off by more than 1.5 times, a single chase is not told as chains, or its
 * misses in flight are off by more than 10 %.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static const int chains[] = {1, 4, 8};

static const json_t *level_at(const json_t *profile, size_t i)
{
    return json_array_get(json_object_get(profile, "levels"), i);
}

/* The rest of the machine as it is, for hwloc of all programs that we start. */
static void claim(const json_t *profile, double mib)
{
    char *spec = xasprintf(
        "pack:1 l3:1(size=%.0f) core:%.0f l2:1(size=%.0f) l1d:1(size=%.0f) pu:%.0f",
        mib * 1048576, bench_value(profile, "cores"),
        bench_value(level_at(profile, 1), "claimed_bytes"),
        bench_value(level_at(profile, 0), "claimed_bytes"),
        bench_value(profile, "threads_per_core"));

    setenv("HWLOC_SYNTHETIC", spec, 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    free(spec);
}

/* How many of what was asked does not hold. */
static int chase(size_t run, int k)
{
    char *path = xasprintf("%s/bench/kernels/chase.c", INFLIGHT_SOURCE_DIR);
    char *define = xasprintf("-DK=%d", k), *name = xasprintf("claim%zu_chase%d", run, k);
    const char *const words[] = {"advise", path, "--fresh", "--json", "--", define, NULL};
    double seconds = 0;
    json_t *report = bench_report(name, words, &seconds);
    double n = bench_value(
        json_object_get(json_object_get(report, "baseline"), "analysis"), "in_flight");
    bool right = !strcmp(bench_text(report, "why"), "chains") && fabs(n / k - 1) <= 0.10;

    printf("| %zu | %d chain%s | %.2f in flight, %+.0f %% | %s | %s | %.0f s |\n", run, k,
           k == 1 ? "" : "s", n, 100 * (n / k - 1), bench_text(report, "limiter"),
           bench_text(report, "why"), seconds);
    fflush(stdout);
    json_decref(report);
    free(path);
    free(define);
    free(name);
    return k == 1 && !right;
}

static int quick_run(size_t run, double full_bytes)
{
    char *path = xasprintf("%s/claim%zu.json", BENCH_DIR, run);
    double seconds = 0, bytes, ratio;
    json_t *profile = bench_profile(path, true, &seconds);
    const json_t *level = level_at(profile, 2);
    int off;

    bytes = bench_value(level, "effective_bytes");
    ratio = bytes / full_bytes;
    off = !(ratio <= 1.5 && ratio >= 1 / 1.5);
    printf("| %zu | quick profile | L3 %.3g MiB (%.3g to %.3g), %.2f of the full one's | "
           "| | %.0f s |\n",
           run, bytes / 1048576, bench_value(level, "effective_low_bytes") / 1048576,
           bench_value(level, "effective_high_bytes") / 1048576, ratio, seconds);
    setenv("INFLIGHT_PROFILE", path, 1);
    for (size_t i = 0; profile && i < ARRAY_SIZE(chains); i++)
        off += chase(run, chains[i]);
    json_decref(profile);
    free(path);
    return off;
}

int main(int argc, char **argv)
{
    size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
    double mib = argc > 2 ? strtod(argv[2], NULL) : 260, seconds = 0;
    json_t *full = bench_profile(BENCH_DIR "/claim_full.json", false, &seconds);
    double bytes = bench_value(level_at(full, 2), "effective_bytes");
    int off = 0;

    if (!full)
        return 1;
    puts("| run | what | says | limiter | why | took |");
    puts("|---|---|---|---|---|---|");
    printf("| | full profile | L3 %.3g MiB (%.3g to %.3g) | | | %.0f s |\n",
           bytes / 1048576,
           bench_value(level_at(full, 2), "effective_low_bytes") / 1048576,
           bench_value(level_at(full, 2), "effective_high_bytes") / 1048576, seconds);
    claim(full, mib);
    for (size_t run = 1; run <= runs; run++)
        off += quick_run(run, bytes);
    printf("\n%d off\n", off);
    json_decref(full);
    return off > 0;
}
