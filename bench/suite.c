/*
 * The best variant of each kernel of tests/kernels against what compilers make of the
 * kernel as it is: the better of gcc and clang at -O3 -march=native, and clang with
 * Polly.
 *
 *     bench/suite [--only CLASS|NAME]... [--budget 15s] [--seconds 3] [--fresh]
 *
 * `inflight tune --budget` searches with the better compiler; its winning plan is then
 * built anew with both and measured against the untransformed kernel in interleaved
 * launches, all cores loaded, small pages on both sides. One line of JSON per kernel is
 * added to build/bench/suite.jsonl; kernels that stand there are not done again unless
 * --fresh. Prints the ratios with their 95 % intervals, geometric means per class, and
 * the gains that were claimed for kernels that cannot be helped. Exit 1 when a figure of
 * docs/figures.md is missed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/suite_kernel.h"
#include "core/machine/machine.h"

#define KERNELS INFLIGHT_SOURCE_DIR "/tests/kernels"
#define RESULTS BENCH_DIR "/suite.jsonl"

/* Issue 5; 0 = none asked. */
static const struct {
    const char *name;
    double least;
} classes[] = {{"order", 2}, {"prefetch", 1.2}, {"hopeless", 0}, {"other", 0}};
static const double polly_least = 1.2;

/* ---- what is there already ---- */

static json_t *read_results(void)
{
    json_t *all = json_object();
    struct buf text = {0};

    if (file_exists(RESULTS) && file_read(RESULTS, &text, NULL) == 0)
        for (char *line = text.data, *end; line && (end = strchr(line, '\n'));
             line = end + 1) {
            *end = '\0';
            json_t *one = json_loads(line, 0, NULL);
            if (one)
                json_object_set_new(all, bench_text(one, "kernel"), one);
        }
    buf_release(&text);
    return all;
}

static void append_result(const json_t *result)
{
    FILE *out = fopen(RESULTS, "a");

    if (!out)
        return;
    json_dumpf(result, out, JSON_COMPACT);
    fputc('\n', out);
    fclose(out);
}

static bool is_wanted(const struct strvec *only, const json_t *entry)
{
    for (size_t i = 0; i < only->nr; i++)
        if (!strcmp(only->v[i], bench_text(entry, "name")) ||
            !strcmp(only->v[i], bench_text(entry, "class")))
            return true;
    return only->nr == 0;
}

/* ---- the tables ---- */

static bool is_gain(const json_t *quantity)
{
    return bench_value(quantity, "low") > 1;
}

static void print_result(const json_t *result)
{
    struct buf line = {0};

    buf_addf(&line, "| %s | %s | ", bench_text(result, "kernel"),
             bench_text(result, "class"));
    if (*bench_text(result, "failed")) {
        buf_addf(&line, "- | - | %s | |", bench_text(result, "failed"));
    } else {
        bench_gain(json_object_get(result, "ratio"), &line);
        buf_add(&line, " | ");
        bench_gain(json_object_get(result, "polly_ratio"), &line);
        buf_addf(&line, " | %s | %s against %s |", bench_text(result, "plan"),
                 bench_text(result, "compiler"), bench_text(result, "base"));
    }
    puts(buf_str(&line));
    buf_release(&line);
}

/* Geometric mean of a ratio over a class (NULL = all); NaN when there is none. */
static double mean_of(const json_t *results, const char *class, const char *key,
                      size_t *nr)
{
    const char *name;
    json_t *result;
    double sum = 0;

    *nr = 0;
    json_object_foreach((json_t *)results, name, result)
    {
        double ratio = bench_value(json_object_get(result, key), "value");
        if ((class && strcmp(bench_text(result, "class"), class)) || isnan(ratio))
            continue;
        sum += log(ratio);
        ++*nr;
    }
    return *nr ? exp(sum / (double)*nr) : NAN;
}

/* Claimed by the search, or even held by the second measurement. */
static void count_gains(const json_t *results, const char *class, size_t *claimed,
                        size_t *held)
{
    const char *name;
    json_t *result;

    *claimed = *held = 0;
    json_object_foreach((json_t *)results, name, result)
    {
        bool claims = is_gain(json_object_get(result, "claimed"));
        if (strcmp(bench_text(result, "class"), class))
            continue;
        *claimed += claims;
        *held += claims && is_gain(json_object_get(result, "ratio"));
    }
}

static bool print_classes(const json_t *results)
{
    bool reached = true;

    puts("\n| class | kernels | geometric mean | asked | gains claimed | of these found "
         "again |\n|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
        size_t nr, claimed, held;
        double mean = mean_of(results, classes[i].name, "ratio", &nr);

        count_gains(results, classes[i].name, &claimed, &held);
        printf("| %s | %zu | %.2f | ", classes[i].name, nr, mean);
        if (classes[i].least > 0)
            printf("%.1f", classes[i].least);
        printf(" | %zu | %zu |\n", claimed, held);
        reached = reached && !(mean < classes[i].least);
        if (!strcmp(classes[i].name, "hopeless"))
            reached = reached && claimed == held;
    }
    size_t nr;
    double polly = mean_of(results, NULL, "polly_ratio", &nr);
    printf("\nagainst clang with Polly: %.2f (%zu kernels; asked: %.1f)\n", polly, nr,
           polly_least);
    return reached && !(polly < polly_least);
}

/* ---- going through them ---- */

struct options {
    struct strvec only;
    const char *budget;
    double seconds;
    bool fresh;
};

static int read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;

        if (!strcmp(argv[i], "--fresh"))
            options->fresh = true;
        else if (!strcmp(argv[i], "--only") && more)
            strvec_push(&options->only, argv[++i]);
        else if (!strcmp(argv[i], "--budget") && more)
            options->budget = argv[++i];
        else if (!strcmp(argv[i], "--seconds") && more)
            options->seconds = strtod(argv[++i], NULL);
        else
            return -1;
    }
    return 0;
}

static json_t *do_kernel(const struct suite *suite, const json_t *entry)
{
    struct error err = {0};
    char *path = xasprintf("%s/%s.c", KERNELS, bench_text(entry, "name"));
    json_t *result = suite_kernel(suite, path, bench_text(entry, "name"), &err);

    if (!result)
        result = json_pack("{s:s}", "failed", err.text);
    json_object_set_new(result, "kernel", json_string(bench_text(entry, "name")));
    json_object_set_new(result, "class", json_string(bench_text(entry, "class")));
    free(path);
    return result;
}

static int go_through(const struct suite *suite, const struct options *options,
                      json_t *results, struct error *err)
{
    json_t *manifest, *entry;
    json_t *shown = json_object();
    size_t i;

    if (json_read_file(KERNELS "/manifest.json", "inflight.kernels/1", &manifest, err))
        return -1;
    puts(
        "| kernel | class | against the better of gcc and clang | against Polly | plan | "
        "compilers |\n|---|---|---|---|---|---|");
    json_array_foreach(json_object_get(manifest, "kernels"), i, entry)
    {
        const char *name = bench_text(entry, "name");
        if (!is_wanted(&options->only, entry) || spawn_interrupted())
            continue;
        json_t *result = json_object_get(results, name);
        if (!result || options->fresh) {
            result = do_kernel(suite, entry);
            append_result(result);
        } else {
            json_incref(result);
        }
        print_result(result);
        fflush(stdout);
        json_object_set_new(shown, name, result);
    }
    bool reached = print_classes(shown);
    json_decref(shown);
    json_decref(manifest);
    return reached ? 0 : fail(err, STATUS_FAILED, "a figure is missed");
}

int main(int argc, char **argv)
{
    struct options options = {.budget = "15s", .seconds = 3};
    struct suite suite = {0};
    struct machine_cpus cpus = {0};
    struct error err = {0};
    json_t *results = NULL;
    int result = 1;

    spawn_catch_interrupt();
    if (read_options(argc, argv, &options)) {
        fputs("usage: suite [--only CLASS|NAME]... [--budget 15s] [--seconds 3] "
              "[--fresh]\n",
              stderr);
        return 2;
    }
    if (dir_make_all(BENCH_DIR, &err) == 0 && machine_cpus(NULL, &cpus, &err) == 0 &&
        suite_open(&suite, &cpus, options.budget, options.seconds, &err) == 0) {
        results = read_results();
        result = go_through(&suite, &options, results, &err) ? 1 : 0;
    }
    if (*err.text)
        fprintf(stderr, "suite: %s\n", err.text);
    json_decref(results);
    suite_close(&suite);
    free(cpus.cpu);
    strvec_release(&options.only);
    return result;
}
