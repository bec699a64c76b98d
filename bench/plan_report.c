#include "bench/plan_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
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

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
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
    qsort(time, nr, sizeof(*time), compare);
    if (nr)
        printf("| %s | %zu | %.1f | %.1f | %.1f |\n", what, nr, time[nr / 2],
               time[nr * 99 / 100], time[nr - 1]);
    free(time);
}

static void print_plan(const json_t *kernel, const json_t *plan)
{
    printf("%s --plan '%s': %s\n", bench_text(kernel, "kernel"), bench_text(plan, "plan"),
           bench_text(plan, "verdict"));
    for (size_t c = 0; c < PLAN_COMPILERS; c++)
        if (*bench_text(plan, plan_compilers[c]))
            printf("    %s: %s\n", plan_compilers[c],
                   bench_text(plan, plan_compilers[c]));
}

/* What is not as it should be, a line each. */
static int print_failures(const json_t *kernels, bool illegal)
{
    const json_t *kernel, *plan, *odd;
    size_t i, k;
    int wrong = 0;

    json_array_foreach(kernels, i, kernel)
    {
        if (*bench_text(kernel, "failed") && ++wrong)
            printf("%s: the worker failed: %s\n", bench_text(kernel, "kernel"),
                   bench_text(kernel, "failed"));
        json_array_foreach(json_object_get(kernel, "odd"), k, odd)
        {
            printf("%s: %s\n", bench_text(kernel, "kernel"), json_string_value(odd));
            wrong++;
        }
        json_array_foreach(json_object_get(kernel, "plans"), k, plan)
        {
            bool good = !strcmp(bench_text(plan, "verdict"), "good");
            if (!illegal && !good && ++wrong)
                print_plan(kernel, plan);
            if (illegal && good)
                printf("%s --plan '%s': the same results, %s: %s\n",
                       bench_text(kernel, "kernel"), bench_text(plan, "plan"),
                       bench_text(plan, "explained"), bench_text(plan, "refusal"));
        }
    }
    return wrong;
}

static void print_explained(const json_t *kernels, size_t tried)
{
    static const char *const why[] = {"over-approximated subscripts",
                                      "integers, the same in any order",
                                      "a race that did not show", "unexplained"};
    size_t same = count_verdict(kernels, "verdict", "good");

    printf("\nother results (or a crash): %zu of %zu, %.0f %%\n", tried - same, tried,
           tried ? 100.0 * (double)(tried - same) / (double)tried : 0.0);
    for (size_t i = 0; i < ARRAY_SIZE(why); i++)
        printf("the same results, %s: %zu\n", why[i],
               count_verdict(kernels, "explained", why[i]));
}

int plan_report(const json_t *kernels, unsigned long long asked, bool illegal,
                double seconds)
{
    size_t tried = count_verdict(kernels, "verdict", NULL);

    puts("");
    int wrong = print_failures(kernels, illegal);
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
