/*
 * A kernel with 1 GiB of inputs in an application (bench/capture_app.c) and replayed from
 * what `inflight capture` wrote: its time, with small and with huge pages, and its
 * traffic in the cache model, which is compiled into the application too. The two sides
 * in turn, so that what the machine does at the moment hits both. Asked: within 5 %.
 *
 *     bench/capture [--rounds 8] [--pages small|huge]
 *
 * A round is one run of the application (the median of its calls behind the first) and
 * one `inflight measure --inputs`; the interval is Student's over the rounds' ratios.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/traffic/traffic.h"

enum { rounds_max = 50, calls = 5 };
static const double asked = 0.05;
#define FLAGS "-O2 -march=native"
/* As the harness's tracing program is compiled (variants/build/build.c). */
#define TRACED                                                                           \
    "-O2 -g1 -fno-tree-vectorize -fno-tree-slp-vectorize "                               \
    "-fno-tree-loop-distribute-patterns -w"

static const struct traffic_geometry geometry = {
    .line_bytes = 64,
    .level_nr = 3,
    .level = {{.bytes = 32768, .ways = 8},
              {.bytes = 1048576, .ways = 8},
              {.bytes = 33554432, .ways = 16}},
    .page_bytes = 4096,
    .store_read_factor = 1,
};

/* ---- programs ---- */

/* `line` is split at blanks, the words behind it are not. */
static int run_words(const char *line, const char *const *more, const char *dir,
                     struct buf *out)
{
    struct strvec argv = {0};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    strvec_split(&argv, line ? line : "");
    for (; more && *more; more++)
        strvec_push(&argv, *more);
    int status = spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                                   .dir = dir,
                                                   .output_limit = 16u << 20},
                           &outcome, &err);
    if (status || outcome.end != SPAWN_EXITED || outcome.code) {
        fprintf(stderr, "bench: %s: %s%s\n", argv.v[0], err.text, buf_str(&outcome.err));
        status = -1;
    }
    if (out)
        buf_add(out, buf_str(&outcome.out));
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    return status;
}

static char *source(const char *name)
{
    return xasprintf("%s/bench/%s", INFLIGHT_SOURCE_DIR, name);
}

static int build_app(const char *dir)
{
    char *app = source("capture_app.c"), *kernel = source("capture_kernel.c");
    const char *const files[] = {
        "-I" INFLIGHT_SOURCE_DIR, app, kernel, "-o", "app", NULL};
    int status = run_words("gcc -g " FLAGS, files, dir, NULL);

    free(app);
    free(kernel);
    return status;
}

/* The kernel alone is instrumented. */
static int build_traced(const char *dir)
{
    char *app = source("capture_app.c"), *kernel = source("capture_kernel.c");
    const char *const traced[] = {"-fsanitize=thread",
                                  "-I" INFLIGHT_SOURCE_DIR,
                                  "-c",
                                  kernel,
                                  "-o",
                                  "kernel.o",
                                  NULL};
    struct strvec files = {0}, more = {0};
    struct error err = {0};
    int status = run_words("gcc " TRACED, traced, dir, NULL);

    if (!status)
        status = traffic_tracer_sources(&files, &err);
    strvec_pushf(&more, "-I%s", INFLIGHT_SOURCE_DIR);
    strvec_push(&more, app);
    strvec_push(&more, "kernel.o");
    strvec_push_all(&more, &files);
    strvec_push(&more, "-lm");
    if (!status)
        status = run_words("gcc -O2 -DTRACED -o traced", (const char *const *)more.v, dir,
                           NULL);
    strvec_release(&files);
    strvec_release(&more);
    free(app);
    free(kernel);
    return status;
}

static int capture(const char *dir, const char *pages)
{
    char *kernel = source("capture_kernel.c");
    const char *const words[] = {INFLIGHT_PROGRAM,
                                 "capture",
                                 kernel,
                                 "--call",
                                 "3",
                                 "--stop",
                                 "-o",
                                 "inputs",
                                 "--cflags",
                                 "-I" INFLIGHT_SOURCE_DIR,
                                 "--",
                                 "./app",
                                 "3",
                                 pages,
                                 "0",
                                 NULL};
    double start = clock_s();
    int status = run_words(NULL, words, dir, NULL);

    fprintf(stderr, "bench: captured in %.1f s\n", clock_s() - start);
    free(kernel);
    return status;
}

/* ---- time ---- */

static double app_seconds(const char *dir, const char *pages)
{
    const char *const words[] = {"5", pages, "0", NULL};
    double second[64];
    struct buf out = {0};
    size_t nr = 0, seen = 0;

    if (run_words("./app", words, dir, &out))
        return NAN;
    for (const char *at = buf_str(&out); (at = strstr(at, "call ")); at += 5)
        if (seen++ > 0 && nr < ARRAY_SIZE(second))
            second[nr++] = strtod(at + 5, NULL);
    buf_release(&out);
    return nr ? median_sorting(second, nr) : NAN;
}

/* With the caches of `geometry`, so that the traffic is of the same machine. */
static json_t *replay(const char *dir)
{
    char *kernel = source("capture_kernel.c");
    const char *const words[] = {INFLIGHT_PROGRAM,
                                 "measure",
                                 kernel,
                                 "--inputs",
                                 "inputs",
                                 "--flags",
                                 FLAGS,
                                 "--cores",
                                 "1",
                                 "--cache",
                                 "L1=32KiB:8,L2=1MiB:8,L3=32MiB:16",
                                 "--json",
                                 "--quiet",
                                 "--",
                                 "-I" INFLIGHT_SOURCE_DIR,
                                 NULL};
    struct buf out = {0};
    json_t *report = NULL;
    struct error err = {0};

    if (run_words(NULL, words, dir, &out) == 0 &&
        json_read_text(buf_str(&out), "measure", NULL, &report, &err))
        fprintf(stderr, "bench: %s\n", err.text);
    buf_release(&out);
    free(kernel);
    return report;
}

static double replay_seconds(const json_t *report)
{
    const json_t *measurement = json_object_get(report, "measurement");

    return 1e-9 * bench_value(json_object_get(measurement, "time_ns"), "median");
}

static int judge(const char *what, const char *unit, double app, double replay,
                 struct quantity ratio)
{
    bool good = ratio.low >= 1 - asked && ratio.high <= 1 + asked;
    bool bad = ratio.low > 1 + asked || ratio.high < 1 - asked;

    printf("| %s | %.4g %s | %.4g %s | %.3f (%.3f to %.3f) | %s |\n", what, app, unit,
           replay, unit, ratio.value, ratio.low, ratio.high,
           good  ? "yes"
           : bad ? "**no**"
                 : "cannot be told: more --rounds");
    fflush(stdout);
    return !good;
}

static struct quantity mean_of(const double *value, size_t nr)
{
    double sum = 0, square = 0, half;

    for (size_t i = 0; i < nr; i++)
        sum += value[i] / (double)nr;
    for (size_t i = 0; i < nr; i++)
        square += (value[i] - sum) * (value[i] - sum);
    half = student_95(nr - 1) * sqrt(square / (double)(nr - 1) / (double)nr);
    return quantity_between(sum, sum - half, sum + half, nr, PROVENANCE_CLOCK);
}

/* *last: the report of the last round. */
static int compare_times(const char *dir, const char *pages, int rounds, json_t **last)
{
    double app[rounds_max], replayed[rounds_max], ratio[rounds_max];
    char *what = xasprintf("time, %s pages", pages);
    int failed = capture(dir, pages) != 0;

    for (int i = 0; !failed && i < rounds; i++) {
        app[i] = app_seconds(dir, pages);
        json_decref(*last);
        *last = replay(dir);
        replayed[i] = replay_seconds(*last);
        ratio[i] = replayed[i] / app[i];
        fprintf(stderr, "bench: round %d: %.4f s, replayed %.4f s\n", i + 1, app[i],
                replayed[i]);
        failed = isnan(ratio[i]);
    }
    if (!failed)
        failed = judge(what, "s", median_sorting(app, (size_t)rounds),
                       median_sorting(replayed, (size_t)rounds),
                       mean_of(ratio, (size_t)rounds));
    free(what);
    return failed;
}

/* ---- traffic ---- */

/* All of the application's accesses are simulated. */
static int trace_app(const char *dir, double accesses, struct traffic *traffic)
{
    char *traced = path_join(dir, "traced");
    struct error err = {0};
    int status = traffic_trace(&(struct traffic_trace_request){.program = traced,
                                                               .geometry = geometry,
                                                               .accesses_total = accesses,
                                                               .accesses_budget = 1e9,
                                                               .limit_s = 400,
                                                               .scratch = dir,
                                                               .cpu = 0},
                               traffic, &err);

    if (status)
        fprintf(stderr, "bench: %s: %s\n", traced, err.text);
    free(traced);
    return status;
}

static int judge_lines(const char *what, struct quantity app, const json_t *replayed)
{
    double lines = bench_value(replayed, "value");

    return judge(
        what, "lines", app.value, lines,
        quantity_between(lines / app.value, bench_value(replayed, "low") / app.value,
                         bench_value(replayed, "high") / app.value, 1, PROVENANCE_MODEL));
}

static int compare_traffic(const char *dir, const json_t *report)
{
    static const char *const level[] = {"L1", "L2", "L3"};
    const json_t *traffic =
        json_object_get(json_object_get(report, "measurement"), "traffic");
    const json_t *levels = json_object_get(traffic, "levels");
    struct traffic app = {0};
    int failed =
        build_traced(dir) || trace_app(dir, bench_value(traffic, "accesses"), &app);

    for (int k = 0; !failed && k < app.level_nr && k < 3; k++) {
        const json_t *one = json_array_get(levels, (size_t)k);
        char *fills = xasprintf("filled into %s", level[k]);
        char *back = xasprintf("written back from %s", level[k]);

        failed +=
            judge_lines(fills, app.edge[k].fills, json_object_get(one, "fills_lines"));
        failed += judge_lines(back, app.edge[k].writebacks,
                              json_object_get(one, "writebacks_lines"));
        free(fills);
        free(back);
    }
    traffic_release(&app);
    return failed;
}

int main(int argc, char **argv)
{
    const char *pages = NULL;
    struct error err = {0};
    char *dir = NULL;
    json_t *last = NULL;
    int rounds = 8, failed = 0;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rounds"))
            rounds = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--pages"))
            pages = argv[i + 1];
    }
    rounds = rounds < 2 ? 2 : rounds > rounds_max ? rounds_max : rounds;
    if (scratch_make(&dir, &err) || build_app(dir)) {
        fprintf(stderr, "bench: %s\n", err.text);
        return 1;
    }
    puts("| what | in the application | replayed | ratio | within 5 % |\n"
         "|---|---|---|---|---|");
    if (!pages || strcmp(pages, "huge") != 0)
        failed += compare_times(dir, "small", rounds, &last);
    if (!pages || strcmp(pages, "small") != 0)
        failed += compare_times(dir, "huge", rounds, &last);
    failed += compare_traffic(dir, last);
    json_decref(last);
    scratch_remove(dir);
    return failed > 0;
}
