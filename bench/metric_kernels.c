/*
 * Kernels of which everything is known beforehand, through `inflight metrics`:
 * operations, bytes of load and store instructions and the rates made of them, at several
 * sizes; and cache conflicts where the geometry of two CPUs predicts them, through the
 * cache model. Prints two tables of Markdown; exit 1 when something is off by more than
 * 0.5 %, or a spike stands elsewhere.
 *
 *   | triad | n=1000 | flops_total | 2000 | 2000 | +0.00 % |
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/metrics/metrics.h"
#include "core/traffic/traffic.h"
#include "variants/variants.h"

static const double allowed = 0.005; /* as Gravelle 2022 found of two CPUs' counters */

enum { ROW_METRICS = 6, CONFLICT_ELEMENTS = 16384, CONFLICT_ACCESSES = 1 << 18 };

static const char *const metric_name[ROW_METRICS] = {
    "flops_total", "LS_Bytes",          "AI",
    "LD_per_ST",   "flops_per_LD_byte", "flops_per_ST_byte"};

/* ---- known kernels ---- */

/* Of one call, as polynomials of the size. */
struct known {
    const char *kernel;
    const char *size[3];                   /* NULL = no more */
    double flops[4], loaded[4], stored[4]; /* of n^0 .. n^3; elements of 8 bytes */
};

static const struct known known[] = {
    {"triad", {"1000", "40000", "2000000"}, {0, 2}, {0, 2}, {0, 1}},
    {"add", {"1000", "40000", "2000000"}, {0, 1}, {0, 2}, {0, 1}},
    {"mul", {"1000", "2000000", NULL}, {0, 1}, {0, 2}, {0, 1}},
    {"div", {"1000", "2000000", NULL}, {0, 1}, {0, 2}, {0, 1}},
    {"bodies", {"500", "2000", NULL}, {0, 0, 20}, {0, 3, 4}, {0, 3}},
    {"product", {"100", "400", NULL}, {0, 0, 0, 2}, {0, 0, 0, 2}, {0, 0, 1}},
};

static double polynomial(const double factor[4], double n)
{
    return factor[0] + n * (factor[1] + n * (factor[2] + n * factor[3]));
}

static void fill_expected(const struct known *row, double n, double want[ROW_METRICS])
{
    double flops = polynomial(row->flops, n), loaded = polynomial(row->loaded, n),
           stored = polynomial(row->stored, n);
    const double value[ROW_METRICS] = {
        flops,           8 * (loaded + stored), flops / (8 * (loaded + stored)),
        loaded / stored, flops / (8 * loaded),  flops / (8 * stored)};

    memcpy(want, value, sizeof(value));
}

/* Of all that the column covers; the first two are per call. */
static double measured_of(const json_t *column, const char *name)
{
    const json_t *metric;
    size_t i;

    json_array_foreach(json_object_get(column, "metrics"), i, metric)
    {
        if (strcmp(bench_text(metric, "name"), name) == 0)
            return bench_value(metric, "value");
    }
    return NAN;
}

static double calls_of(const json_t *column)
{
    const json_t *run;
    double calls = 1;
    size_t i;

    json_array_foreach(json_object_get(column, "runs"), i, run)
    {
        const json_t *told = json_object_get(run, "calls");

        calls = fmax(calls, json_is_number(told) ? json_number_value(told) : 1);
    }
    return calls;
}

/* A row is off where the metric is unknown, too. */
static int print_known(const struct known *row, const char *size, const json_t *column)
{
    double want[ROW_METRICS], calls = calls_of(column);
    int off = 0;

    fill_expected(row, atof(size), want);
    for (size_t i = 0; i < ROW_METRICS; i++) {
        double got = measured_of(column, metric_name[i]) / (i < 2 ? calls : 1);
        bool held = fabs(got / want[i] - 1) <= allowed;

        printf("| %s | %s | %s | %.6g | %.6g | %+.2f %% |%s\n", row->kernel, size,
               metric_name[i], want[i], got, 100 * (got / want[i] - 1),
               held ? "" : " **off**");
        off += !held;
    }
    fflush(stdout);
    return off;
}

static int run_known(const struct known *row, const char *size)
{
    char *function = xasprintf("known_%s", row->kernel), *set = xasprintf("n=%s", size),
         *name = xasprintf("metric_%s_%s", row->kernel, size);
    const char *const words[] = {
        "metrics",    INFLIGHT_SOURCE_DIR "/bench/kernels/known.c",
        "--function", function,
        "--set",      set,
        "--quiet",    "--json",
        NULL};
    double seconds;
    json_t *report = bench_document(name, "inflight.metrics-result/1", words, &seconds);
    int off = 1; /* one that does not run is off, too */

    if (report)
        off =
            print_known(row, size, json_array_get(json_object_get(report, "columns"), 0));
    json_decref(report);
    free(function);
    free(set);
    free(name);
    return off;
}

static int run_all_known(void)
{
    int off = 0;

    printf("| kernel | n | metric | expected | measured | off |\n"
           "|---|---:|---|---:|---:|---:|\n");
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        for (size_t k = 0; k < ARRAY_SIZE(known[i].size) && known[i].size[k]; k++)
            off += run_known(&known[i], known[i].size[k]);
    return off;
}

/* ---- conflicts ---- */

/* A spike is expected where the elements of one set are more than its ways. */
static const struct conflict {
    const char *cpu;
    struct traffic_geometry geometry;
    int spike[2];
} conflicts[] = {
    {"Cascade Lake",
     {.line_bytes = 64,
      .level_nr = 2,
      .level = {{.bytes = 32768, .ways = 8}, {.bytes = 1048576, .ways = 16}},
      .page_bytes = 4096,
      .store_read_factor = 1},
     {1024, 1536}},
    {"A64FX",
     {.line_bytes = 256,
      .level_nr = 2,
      .level = {{.bytes = 65536, .ways = 4}, {.bytes = 8388608, .ways = 16}},
      .page_bytes = 4096,
      .store_read_factor = 1},
     {1024, 2048}},
};

struct conflict_result {
    double ls_bytes, l2_bytes, memory_bytes;
};

static int open_conflict(int step, struct kernel **kernel, struct error *err)
{
    struct kernel_request request = {.path = INFLIGHT_SOURCE_DIR "/bench/kernels/known.c",
                                     .function = "known_conflict"};
    int result;

    strvec_pushf(&request.words, "set n = %d", CONFLICT_ELEMENTS);
    strvec_pushf(&request.words, "set step = %d", step);
    strvec_pushf(&request.words, "set rounds = %d",
                 CONFLICT_ACCESSES / ((CONFLICT_ELEMENTS + step - 1) / step));
    result = kernel_open(&request, kernel, err);
    if (result == 0)
        result = kernel_bind(*kernel, err);
    strvec_release(&request.words);
    return result;
}

static void evaluate(const struct metric_set *set, const struct traffic *traffic,
                     double line_bytes, struct conflict_result *out)
{
    struct count_set counts = {0};
    struct metric_result result;
    const struct metric_given given[] = {
        {"line_bytes", quantity_exact(line_bytes, PROVENANCE_TABLE)}};
    struct metric_question question = {
        .set = set, .counts = &counts, .given = given, .given_nr = 1};

    traffic_to_counts(traffic, &counts);
    metric_evaluate(&question, &result);
    out->ls_bytes = result.value[metric_find(set, "LS_Bytes")].value.value;
    out->l2_bytes = result.value[metric_find(set, "L2_Bytes")].value.value;
    out->memory_bytes = traffic_read_bytes(traffic).value;
    metric_result_release(&result);
    count_set_release(&counts);
}

static int trace_conflict(const struct conflict *conflict, int step,
                          const struct toolchain *toolchain, const char *scratch,
                          const struct metric_set *set, struct conflict_result *out,
                          struct error *err)
{
    struct kernel *kernel = NULL;
    struct plan *plan = NULL;
    struct traffic traffic = {0};
    struct strvec args = {0};
    char *program = NULL;
    int result = -1;

    if (open_conflict(step, &kernel, err) || plan_parse("", &plan, err) ||
        variant_build(kernel, plan, toolchain, VARIANT_TRACE, scratch, &program, err))
        goto out;
    variant_args(kernel, &args);
    result = traffic_trace(&(struct traffic_trace_request){.program = program,
                                                           .args = &args,
                                                           .geometry = conflict->geometry,
                                                           .accesses_budget = 1e9,
                                                           .limit_s = 60,
                                                           .scratch = scratch,
                                                           .cpu = -1},
                           &traffic, err);
    if (!result)
        evaluate(set, &traffic, conflict->geometry.line_bytes, out);
out:
    strvec_release(&args);
    traffic_release(&traffic);
    free(program);
    plan_free(plan);
    kernel_free(kernel);
    return result;
}

static bool is_spike(const struct conflict *conflict, int step)
{
    return step == conflict->spike[0] || step == conflict->spike[1];
}

/* A spike: more than half of the accesses miss L1. Off it next to none do: the elements
 * that are touched fit. */
static int run_conflict(const struct conflict *conflict,
                        const struct toolchain *toolchain, const char *scratch,
                        const struct metric_set *set, struct error *err)
{
    double least = INFINITY, most = 0, elsewhere = 0;
    int off = 0;

    for (int step = 896; step <= 2112; step += 32) {
        struct conflict_result one = {0};

        if (trace_conflict(conflict, step, toolchain, scratch, set, &one, err))
            return -1;
        double per_access =
            one.l2_bytes / conflict->geometry.line_bytes / (one.ls_bytes / 16);
        bool spike = per_access > 0.5, right = spike == is_spike(conflict, step);
        least = fmin(least, one.ls_bytes);
        most = fmax(most, one.ls_bytes);
        off += !right;
        if (!spike)
            elsewhere = fmax(elsewhere, per_access);
        if (spike || !right)
            printf("| %s | %d | %.3g MB | %.3g MB | %.3g MB | %.3f |%s\n", conflict->cpu,
                   step, 1e-6 * one.ls_bytes, 1e-6 * one.l2_bytes,
                   1e-6 * one.memory_bytes, per_access, right ? "" : " **off**");
    }
    printf("| %s | others | %.4g to %.4g MB, all | | | at most %.3f |\n", conflict->cpu,
           1e-6 * least, 1e-6 * most, elsewhere);
    return off + (most > 1.1 * least);
}

static int run_conflicts(struct error *err)
{
    struct metric_set *set = NULL;
    struct toolchain toolchain = {0};
    char *scratch = NULL;
    int off = -1;

    printf(
        "\n| geometry of | step | LS_Bytes | L2_Bytes | read from memory | misses of L1 "
        "per access |\n|---|---:|---:|---:|---:|---:|\n");
    if (metric_set_load("traced", NULL, &set, err) || scratch_make(&scratch, err) ||
        toolchain_find("gcc", NULL, &toolchain, err))
        goto out;
    off = 0;
    for (size_t i = 0; i < ARRAY_SIZE(conflicts) && off >= 0; i++) {
        int one = run_conflict(&conflicts[i], &toolchain, scratch, set, err);
        off = one < 0 ? -1 : off + one;
    }
out:
    toolchain_release(&toolchain);
    metric_set_free(set);
    if (scratch)
        scratch_remove(scratch);
    return off;
}

int main(void)
{
    struct error err = {0};
    int known_off = run_all_known(), conflicts_off = run_conflicts(&err);

    if (conflicts_off < 0)
        fprintf(stderr, "metric_kernels: %s\n", err.text);
    printf("\n%d off\n", known_off + abs(conflicts_off));
    return known_off || conflicts_off ? 1 : 0;
}
