/*
 * What a sample is worth here: the clock, how often each cause disturbs, what start
 * states and a load on the other cores change. One copy; argument: launches per row
 * (default 3). Exit 1 when the flushed probe, or small data after a cold start, is not
 * slower: then cold is not cold.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "variants/variants.h"

static const struct row {
    long n; /* doubles */
    enum run_start start;
    enum run_background background;
    size_t minimum_of;
} rows[] = {
    {8, RUN_START_WARM, RUN_BACKGROUND_IDLE, 1},
    {8, RUN_START_COLD_DATA, RUN_BACKGROUND_IDLE, 1},
    {8, RUN_START_COLD_CODE, RUN_BACKGROUND_IDLE, 1},
    {8, RUN_START_COLD, RUN_BACKGROUND_IDLE, 1},
    {2048, RUN_START_WARM, RUN_BACKGROUND_IDLE, 1},
    {2048, RUN_START_COLD_DATA, RUN_BACKGROUND_IDLE, 1},
    {2048, RUN_START_COLD_CODE, RUN_BACKGROUND_IDLE, 1},
    {2048, RUN_START_COLD, RUN_BACKGROUND_IDLE, 1},
    {65536, RUN_START_WARM, RUN_BACKGROUND_IDLE, 1},
    {65536, RUN_START_COLD_DATA, RUN_BACKGROUND_IDLE, 1},
    {16777216, RUN_START_WARM, RUN_BACKGROUND_IDLE, 1},
    {16777216, RUN_START_COLD_DATA, RUN_BACKGROUND_IDLE, 1},
    {16777216, RUN_START_WARM, RUN_BACKGROUND_IDLE, 10},
    {16777216, RUN_START_WARM, RUN_BACKGROUND_ARITHMETIC, 1},
    {16777216, RUN_START_WARM, RUN_BACKGROUND_MEMORY, 1},
    {16777216, RUN_START_WARM, RUN_BACKGROUND_DISK, 1},
    {2048, RUN_START_WARM, RUN_BACKGROUND_ARITHMETIC, 1},
    {2048, RUN_START_WARM, RUN_BACKGROUND_MEMORY, 1},
    {2048, RUN_START_WARM, RUN_BACKGROUND_DISK, 1},
};

struct totals {
    size_t samples, disturbed[4];
    double warm_small_s, cold_small_s; /* of 2048 doubles */
};

static int open_kernel(long n, struct kernel **kernel, struct error *err)
{
    struct kernel_request request = {.path = INFLIGHT_SOURCE_DIR "/bench/kernels/read.c"};

    if (kernel_open(&request, kernel, err) || kernel_set(*kernel, "n", n, err))
        return -1;
    return kernel_bind(*kernel, err);
}

static int build(struct kernel *kernel, const struct toolchain *toolchain,
                 const char *dir, char **program, struct error *err)
{
    struct plan *plan = NULL;
    int status = plan_parse("", &plan, err);

    if (!status)
        status = variant_build(kernel, plan, toolchain, VARIANT_TIME, dir, program, err);
    plan_free(plan);
    return status;
}

static void count(const struct run_result *result, struct totals *totals)
{
    for (size_t i = 0; i < result->sample_nr; i++) {
        totals->samples++;
        for (unsigned bit = 0; bit < ARRAY_SIZE(totals->disturbed); bit++)
            totals->disturbed[bit] += result->sample[i].disturbed >> bit & 1;
    }
}

static void print_row(const struct row *row, const struct run_result *result)
{
    struct quantity time = run_time_s(result);

    printf(
        "| %ld | %s | %s | %zu | %.1f [%.1f, %.1f] | %.2f | %zu of %zu | %.1f | %.1f | "
        "%.2f | %s |\n",
        row->n * 8, run_start_word(row->start), run_background_word(row->background),
        row->minimum_of, time.value * 1e9, time.low * 1e9, time.high * 1e9,
        (double)row->n * 8e-9 / time.value, result->disturbed_nr, result->sample_nr,
        result->clock_step_s * 1e9, result->call_overhead_s * 1e9,
        result->empty_call_s * 1e9,
        result->note     ? result->note
        : result->detail ? result->detail
                         : "");
    fflush(stdout);
}

static int measure(const struct row *row, const struct toolchain *toolchain,
                   const char *dir, size_t launches, struct totals *totals,
                   struct error *err)
{
    struct run_opts opts = {.cpu = (const int[]){0},
                            .launches_min = launches,
                            .launches_max = launches,
                            .start = row->start,
                            .background = row->background,
                            .minimum_of = row->minimum_of};
    struct run_result result = {0};
    struct kernel *kernel = NULL;
    struct strvec args = {0};
    char *program = NULL;
    int status =
        open_kernel(row->n, &kernel, err) || build(kernel, toolchain, dir, &program, err)
            ? -1
            : 0;

    if (!status) {
        variant_args(kernel, &args);
        status = run_measure(&(struct run_program){.path = program, .args = &args}, &opts,
                             &result, err);
    }
    if (!status) {
        print_row(row, &result);
        count(&result, totals);
        if (row->n == 2048 && row->background == RUN_BACKGROUND_IDLE) {
            double seconds = run_time_s(&result).value;

            if (row->start == RUN_START_WARM)
                totals->warm_small_s = seconds;
            else if (row->start == RUN_START_COLD_DATA)
                totals->cold_small_s = seconds;
        }
    }
    run_result_release(&result);
    strvec_release(&args);
    free(program);
    kernel_free(kernel);
    return status;
}

static int measure_all(size_t launches, struct totals *totals, struct error *err)
{
    struct toolchain toolchain = {0};
    char *dir = NULL;
    int status = toolchain_find("gcc", NULL, &toolchain, err) || scratch_make(&dir, err);

    puts(
        "| bytes | start | beside | least of | ns a call | GB/s | disturbed | clock step "
        "ns | overhead ns | empty call ns | note |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; !status && i < ARRAY_SIZE(rows); i++)
        status = measure(&rows[i], &toolchain, dir, launches, totals, err);
    toolchain_release(&toolchain);
    if (dir)
        scratch_remove(dir);
    return status;
}

int main(int argc, char **argv)
{
    size_t launches = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 3;
    struct totals totals = {0};
    struct error err = {0};
    bool cold;

    if (measure_all(launches, &totals, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        return 2;
    }
    cold = totals.cold_small_s > 1.5 * totals.warm_small_s;
    printf("\n%zu samples; disturbed: %zu switched away, %zu page faults, %zu time "
           "stolen, %zu reference slowed\n",
           totals.samples, totals.disturbed[0], totals.disturbed[1], totals.disturbed[2],
           totals.disturbed[3]);
    printf("16 KiB after a cold start against warm: %.1f times, %s\n",
           totals.cold_small_s / totals.warm_small_s, cold ? "cold is cold" : "NOT COLD");
    return cold ? 0 : 1;
}
