/*
 * How long it takes from a parsed kernel to C: the loop model with its dependences, the
 * check of a plan and the emission, for random legal plans of every kernel of
 * tests/kernels. No compiler is run; the times are the
 * processor's. Prints medians and extremes against what is asked
 * for, and the worst plan. Exit 1 when a figure is missed.
 *
 *     bench/emission [--seed S] [--count PLANS_PER_KERNEL] [--worst ROWS] [KERNEL ...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "bench/plan_random.h"

#define KERNELS INFLIGHT_SOURCE_DIR "/tests/kernels"

enum { DRAWS_PER_PLAN = 15 };
/* Issue 5: plans without register blocks on nests of depth 3; any plan. */
static const double simple_limit_ms = 50, any_limit_ms = 1000;

struct timing {
    double model_ms, plan_ms; /* model; check and emission */
    bool simple;              /* no register blocks, depth 3 or less */
    char *what;
};
struct timings {
    struct timing *item;
    size_t nr, alloc;
};

/* Of the processor, so that other programs do not count. */
static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool has_blocks(const char *plan)
{
    return strstr(plan, "unroll_jam") || strstr(plan, "vec(") || strstr(plan, "pack(") ||
           strstr(plan, "full(");
}

/* A model of its own for each plan: nothing is left from the one before. */
static bool time_plan(const struct kernel *kernel, const char *text,
                      struct timing *timing)
{
    struct model_request request = {.function = kernel->function};
    struct model *model = NULL;
    struct plan *plan = NULL;
    struct buf out = {0};
    struct error err = {0};
    double start = cpu_s();
    bool ok =
        plan_parse(text, &plan, &err) == 0 && model_build(&request, &model, &err) == 0;
    double built = cpu_s();

    ok = ok && model_check(model, plan, NULL, &err) == 0 &&
         model_emit(model, plan, &out, &err) == 0;
    timing->model_ms = 1e3 * (built - start);
    timing->plan_ms = 1e3 * (cpu_s() - built);
    buf_release(&out);
    plan_free(plan);
    model_free(model);
    return ok;
}

static void time_kernel(const char *name, unsigned long long seed,
                        unsigned long long count, struct timings *timings)
{
    char *path = xasprintf("%s/%s.c", KERNELS, name);
    struct kernel_request request = {.path = path};
    struct kernel *kernel;
    struct error err = {0};

    if (kernel_open(&request, &kernel, &err)) {
        fprintf(stderr, "emission: %s\n", err.text);
        free(path);
        return;
    }
    struct plan_random random = plan_random_begin(kernel, seed);
    for (unsigned long long i = 0, got = 0; i < DRAWS_PER_PLAN * count && got < count;
         i++) {
        char *plan = plan_random_next(&random);
        struct timing timing = {.simple = !has_blocks(plan) && kernel_depth(kernel) <= 3};

        if (time_plan(kernel, plan, &timing)) {
            timing.what = xasprintf("%s --plan '%s'", name, plan);
            GROW(timings->item, timings->nr + 1, timings->alloc);
            timings->item[timings->nr++] = timing;
            got++;
        }
        free(plan);
    }
    kernel_free(kernel);
    free(path);
}

static double total(const struct timing *timing)
{
    return timing->model_ms + timing->plan_ms;
}

static int compare(const void *a, const void *b)
{
    double x = total(a), y = total(b);

    return (x > y) - (x < y);
}

/* One row of those that are wanted, which stand in order. 1 = the figure is missed. */
static int print_row(const struct timings *timings, bool simple, double limit_ms,
                     const char *what)
{
    const struct timing **row = xcalloc(timings->nr + 1, sizeof(*row));
    size_t nr = 0;

    for (size_t i = 0; i < timings->nr; i++)
        if (!simple || timings->item[i].simple)
            row[nr++] = &timings->item[i];
    bool missed = nr && total(row[nr - 1]) > limit_ms;
    if (nr)
        printf("| %s | %.0f | %zu | %.1f | %.1f | %.1f | %s |\n", what, limit_ms, nr,
               total(row[nr / 2]), total(row[nr * 99 / 100]), total(row[nr - 1]),
               row[nr - 1]->what);
    free(row);
    return missed;
}

/* The slowest plans, slowest first: where to look. */
static void print_worst(const struct timings *timings, unsigned long long rows)
{
    size_t least = timings->nr > rows ? timings->nr - (size_t)rows : 0;

    if (rows)
        printf("\n| model | plan | simple | worst |\n|---|---|---|---|\n");
    for (size_t i = timings->nr; i-- > least;)
        printf("| %.1f | %.1f | %s | %s |\n", timings->item[i].model_ms,
               timings->item[i].plan_ms, timings->item[i].simple ? "yes" : "no",
               timings->item[i].what);
}

static int list_kernels(int argc, char **argv, struct strvec *names, struct error *err)
{
    for (int k = 1; k < argc; k++) {
        if (!strncmp(argv[k], "--", 2))
            k++;
        else
            strvec_push(names, argv[k]);
    }
    if (names->nr)
        return 0;
    return bench_kernels(names, err);
}

static unsigned long long option(int argc, char **argv, const char *name,
                                 unsigned long long otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], name))
            return strtoull(argv[i + 1], NULL, 10);
    return otherwise;
}

int main(int argc, char **argv)
{
    struct strvec names = {0};
    struct timings timings = {0};
    struct error err = {0};

    if (list_kernels(argc, argv, &names, &err)) {
        fprintf(stderr, "emission: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < names.nr; i++)
        time_kernel(names.v[i], option(argc, argv, "--seed", 1),
                    option(argc, argv, "--count", 10), &timings);
    if (timings.nr)
        qsort(timings.item, timings.nr, sizeof(*timings.item), compare);
    printf("%zu kernels, %zu legal plans; model, check and emission in ms\n\n"
           "| plans | asked | nr | median | 99 %% | most | worst |\n"
           "|---|---|---|---|---|---|---|\n",
           names.nr, timings.nr);
    int missed =
        print_row(&timings, true, simple_limit_ms, "no register blocks, depth 3 or less");
    missed += print_row(&timings, false, any_limit_ms, "all");
    print_worst(&timings, option(argc, argv, "--worst", 0));
    for (size_t i = 0; i < timings.nr; i++)
        free(timings.item[i].what);
    free(timings.item);
    strvec_release(&names);
    return missed > 0;
}
