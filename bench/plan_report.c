#include "bench/plan_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/plan_explain.h"
#include "bench/plan_try.h"

static long long sum(const json_t *kernels, const char *key)
{
    const json_t *kernel;
    long long all = 0;
    size_t i;

    json_array_foreach(kernels, i, kernel) all +=
        json_integer_value(json_object_get(kernel, key));
    return all;
}

static size_t count_verdict(const json_t *kernels, const char *key, const char *word)
{
    const json_t *kernel, *plan;
    size_t i, k, nr = 0;

    json_array_foreach(kernels, i, kernel)
    {
        json_array_foreach(json_object_get(kernel, "plans"), k, plan) nr +=
            !word || !strcmp(bench_text(plan, key), word);
    }
    return nr;
}

static void print_steps(const json_t *kernels)
{
    size_t nr, i;
    const struct transformation *table = transformations(&nr);
    const json_t *kernel;

    puts("\n| step | plans with it | legal |\n|---|---|---|");
    for (size_t s = 0; s < nr; s++) {
        long long drawn = 0, legal = 0;

        json_array_foreach(kernels, i, kernel)
        {
            const json_t *pair =
                json_object_get(json_object_get(kernel, "steps"), table[s].name);
            drawn += json_integer_value(json_array_get(pair, 0));
            legal += json_integer_value(json_array_get(pair, 1));
        }
        printf("| %s | %lld | %.0f %% |\n", table[s].name, drawn,
               drawn ? 100.0 * (double)legal / (double)drawn : 0.0);
    }
}

/* Times of check and emission, of plans without register blocks at depth 3 or less, or of
 * all. */
static void print_times(const json_t *kernels, bool simple, const char *what)
{
    const json_t *kernel, *plan;
    double *time = xcalloc(count_verdict(kernels, "verdict", NULL) + 1, sizeof(*time));
    size_t i, k, nr = 0;

    json_array_foreach(kernels, i, kernel)
    {
        bool deep = json_integer_value(json_object_get(kernel, "depth")) > 3;
        json_array_foreach(json_object_get(kernel, "plans"), k, plan)
        {
            if (simple && (deep || json_is_true(json_object_get(plan, "blocks"))))
                continue;
            time[nr++] =
                1e3 * (bench_value(plan, "check_s") + bench_value(plan, "emit_s"));
        }
    }
    sort_doubles(time, nr);
    if (nr)
        printf("| %s | %zu | %.1f | %.1f | %.1f |\n", what, nr, time[nr / 2],
               time[nr * 99 / 100], time[nr - 1]);
    free(time);
}

static void print_plan(FILE *out, const json_t *kernel, const json_t *plan)
{
    fprintf(out, "%s --plan '%s': %s\n", bench_text(kernel, "kernel"),
            bench_text(plan, "plan"), bench_text(plan, "verdict"));
    for (size_t c = 0; c < PLAN_BUILDS; c++)
        if (*bench_text(plan, plan_builds[c].name))
            fprintf(out, "    %s: %s\n", plan_builds[c].name,
                    bench_text(plan, plan_builds[c].name));
    if (*bench_text(plan, "explained"))
        fprintf(out, "    the same results, %s: %s\n", bench_text(plan, "explained"),
                bench_text(plan, "refusal"));
}

static bool is_problem(const json_t *plan, bool illegal)
{
    const char *verdict = bench_text(plan, "verdict");
    bool good = !strcmp(verdict, "good") || !strcmp(verdict, "announced");

    return illegal ? !strcmp(bench_text(plan, "explained"), PLAN_UNEXPLAINED) : !good;
}

/* What has nothing to do with one plan that was tried. */
static size_t other_problems(const json_t *kernel, FILE *out)
{
    const char *name = bench_text(kernel, "kernel"),
               *failed = bench_text(kernel, "failed");
    const json_t *odd;
    size_t k, nr = *failed != '\0';

    if (out && nr)
        fprintf(out, "%s: the worker failed: %s\n", name, failed);
    json_array_foreach(json_object_get(kernel, "odd"), k, odd)
    {
        nr++;
        if (out)
            fprintf(out, "%s: %s\n", name, json_string_value(odd));
    }
    return nr;
}

struct plan_problems plan_problems(const json_t *kernels, bool illegal, FILE *out)
{
    struct plan_problems found = {0};
    const json_t *kernel, *plan;
    size_t i, k;

    json_array_foreach(kernels, i, kernel)
    {
        found.problems += other_problems(kernel, out);
        json_array_foreach(json_object_get(kernel, "plans"), k, plan)
        {
            found.plans++;
            if (!is_problem(plan, illegal))
                continue;
            found.problems++;
            if (out)
                print_plan(out, kernel, plan);
        }
    }
    return found;
}

static void print_share(const char *what, size_t other, size_t tried)
{
    printf("%s: %zu of %zu, %.0f %%\n", what, other, tried,
           tried ? 100.0 * (double)other / (double)tried : 0.0);
}

static void print_explained(const json_t *kernels, size_t tried)
{
    size_t nr,
        same = count_verdict(kernels, "verdict", "good"),
        broken = count_verdict(kernels, "verdict", plan_verdict_word(PLAN_NO_COMPILE)),
        promises = count_verdict(kernels, "explained", PLAN_PROMISE);
    const char *const *why = plan_explanations(&nr);

    printf("\nforced: %zu; what is wanted cannot be forced: %lld, or gives no C: %zu\n",
           tried - broken, sum(kernels, "unforced"), broken);
    print_share("other results, a race or a crash", tried - same - broken,
                tried - broken);
    print_share("without promises that nobody uses", tried - same - broken,
                tried - broken - promises);
    for (size_t i = 0; i < nr; i++)
        printf("the same results, %s: %zu\n", why[i],
               count_verdict(kernels, "explained", why[i]));
}

size_t plan_report(const json_t *kernels, unsigned long long asked, bool illegal,
                   double seconds)
{
    size_t tried = count_verdict(kernels, "verdict", NULL);

    puts("");
    size_t wrong = plan_problems(kernels, illegal, stdout).problems;
    printf("\n%zu kernels; asked for %llu plans, tried %zu; drawn %lld: legal %lld, "
           "illegal %lld, not applicable %lld; %.0f s, %.2f s a plan\n\n",
           json_array_size(kernels), asked, tried, sum(kernels, "drawn"),
           sum(kernels, "legal"), sum(kernels, "illegal"), sum(kernels, "other"), seconds,
           tried ? seconds / (double)tried : 0.0);
    puts("| verdict | plans |\n|---|---|");
    for (enum plan_verdict v = 0; v < PLAN_VERDICT_NR; v++)
        printf("| %s | %zu |\n", plan_verdict_word(v),
               count_verdict(kernels, "verdict", plan_verdict_word(v)));
    print_steps(kernels);
    if (illegal) {
        print_explained(kernels, tried);
    } else {
        puts("\n| check and emission, ms | plans | median | 99 % | most "
             "|\n|---|---|---|---|---|");
        print_times(kernels, true, "no register blocks, depth 3 or less");
        print_times(kernels, false, "all");
    }
    return wrong;
}
