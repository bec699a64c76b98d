/* How many chains of addresses a loop follows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"
#include "variants/plan/plan.h"

SUITE(variants_chains);

static struct kernel *opened(const char *path, const char *flag, const char *word)
{
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;
    struct error err = {0};

    if (flag)
        strvec_push(&request.cflags, flag);
    if (word)
        strvec_push(&request.words, word);
    if (!check_ok(kernel_open(&request, &kernel, &err), &err) ||
        !check_ok(kernel_bind(kernel, &err), &err)) {
        kernel_free(kernel);
        kernel = NULL;
    }
    strvec_release(&request.cflags);
    strvec_release(&request.words);
    return kernel;
}

TEST("the chases of the truth test have k chains")
{
    static const int chains[] = {1, 2, 4, 8, 12};

    for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
        char *flag = xasprintf("-DK=%d", chains[i]);
        struct kernel *kernel =
            opened(INFLIGHT_SOURCE_DIR "/bench/kernels/chase.c", flag, "set n = 2097152");

        if (kernel) {
            struct quantity got = kernel_counts(kernel).chains;

            check(got.known);
            check_near(got.value, chains[i], 0);
            check_near(got.low, chains[i], 0);
            check_near(got.high, chains[i], 0);
        }
        kernel_free(kernel);
        free(flag);
    }
}

/* Bodies of `for (long i = 0; i < n; i++) { ... }`, and what they are. */
static const struct {
    const char *body;
    double chains, max; /* negative: unknown; most: INFINITY = open */
} loops[] = {
    {"p = next[p];", 1, 1},
    {"p = next[p]; p = next[p];", 1, 1}, /* unrolled */
    {"p = next[p]; q = next[q];", 2, 2},
    {"long t = p; p = next[q]; q = next[t];", 1, 1}, /* they feed each other */
    {"long t = next[p] + 1; p = t & 1023;", 1, 2},   /* t may be more than a step */
    {"p = next[p]; sum += x[p];", 1, 2},             /* another miss beside the chain */
    {"p = next[p]; sum += x[i];", 1, 2},
    {"p = next[p]; sum += x[next[i]];", 1, INFINITY},
    {"if (i & 1) p = next[p];", 1, 1},
    {"p = x[p] > 0 ? 2 * p : 2 * p + 1;", 0, 0}, /* which way is guessed */
    {"if (x[p] > 0) p = p + 1; else p = p + 2;", 0, 0},
    {"sum += x[next[i]];", 0, 0},
    {"sum += x[i];", 0, 0},
    {"p = next[i]; sum += x[p];", 0, 0}, /* begins anew each time */
    {"p = p + 1; sum += x[p];", 0, 0},
    {"p = next[p]; for (long k = 0; k < 2; k++) sum += x[k];", 0, 0},
    {"for (long k = 0; k < 100; k++) p = next[p];", 1, 1},
    {"p = next[i]; for (long k = 0; k < 5; k++) p = next[p];", 1, INFINITY},
    {"p = next[i]; while (p) p = next[p];", 1, INFINITY},
};

static char *kernel_text(const char *body)
{
    return xasprintf(
        "#pragma inflight kernel\n"
        "#pragma inflight set n = 1024\n"
        "#pragma inflight buffer next = index(n)\n"
        "#pragma inflight buffer x = uniform(-1, 1)\n"
        "void f(long n, const long next[n], const double x[n], double out[1])\n"
        "{\n"
        "    long p = 0, q = 1;\n"
        "    double sum = 0;\n"
        "    for (long i = 0; i < n; i++) {\n"
        "        %s\n"
        "    }\n"
        "    out[0] = sum + p + q;\n"
        "}\n",
        body);
}

TEST("chains are told from other loads")
{
    for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
        char *text = kernel_text(loops[i].body), *path = fixture_file("chains.c", text);
        struct kernel *kernel = opened(path, NULL, NULL);

        if (kernel) {
            struct quantity got = kernel_counts(kernel).chains;
            char *output = xasprintf("%s: %g to %g", loops[i].body, got.value, got.high);
            char *want =
                xasprintf("%s: %g to %g", loops[i].body, loops[i].chains, loops[i].max);

            check_str(output, want);
            free(output);
            free(want);
        }
        kernel_free(kernel);
        free(path);
        free(text);
    }
}

/* Which of two loops counts decides how often they go round. */
TEST("the busiest loop counts")
{
    static const char text[] = "#pragma inflight kernel\n"
                               "#pragma inflight set n = 1024\n"
                               "#pragma inflight set m = 2048\n"
                               "#pragma inflight buffer next = index(n)\n"
                               "void f(long n, long m, const long next[n], long out[1])\n"
                               "{\n"
                               "    long p = 0, q = 1, sum = 0;\n"
                               "    for (long i = 0; i < n; i++)\n"
                               "        sum += next[i];\n"
                               "    for (long i = 0; i < m; i++) {\n"
                               "        p = next[p];\n"
                               "        q = next[q];\n"
                               "    }\n"
                               "    out[0] = sum + p + q;\n"
                               "}\n";
    char *path = fixture_file("two.c", text);
    struct kernel *busy = opened(path, NULL, NULL), *other;

    if (busy)
        check_near(kernel_counts(busy).chains.value, 2, 0);
    other = opened(path, NULL, "set m = 8");
    if (other)
        check_near(kernel_counts(other).chains.value, 0, 0);
    kernel_free(busy);
    kernel_free(other);
    free(path);
}

/* A plan is looked at as the C that it becomes. */
TEST("plans have chains too")
{
    char *text = kernel_text("p = next[p];"), *path = fixture_file("planned.c", text);
    struct kernel *kernel = opened(path, NULL, NULL);
    struct plan *plan = NULL;
    struct error err = {0};

    if (kernel && check_ok(plan_parse("", &plan, &err), &err))
        check_near(variant_chains(kernel, plan, fixture_dir()).value, 1, 0);
    plan_free(plan);
    kernel_free(kernel);
    free(path);
    free(text);
}

static int sizes_seen(struct kernel *kernel, void *data, struct error *err)
{
    struct kernel_view view = kernel_view(kernel);

    (void)err;
    *(struct kernel_counts *)data = kernel_counts(kernel);
    check_near(view.array[0].bytes, kernel_counts(kernel).iterations.value * 8, 0);
    return 0;
}

TEST("sizes are back afterwards")
{
    static const struct {
        long long ask;
        double got; /* of n = 1027 */
    } cases[] = {{5, 11}, {30, 35}, {200, 195}, {1026, 1027}, {5000, 1027}};
    char *text = kernel_text("sum += x[i] + next[i];"),
         *path = fixture_file("sizes.c", text);
    struct kernel *kernel = opened(path, NULL, "set n = 1027");
    struct error err = {0};

    for (size_t i = 0; kernel && i < ARRAY_SIZE(cases); i++) {
        struct kernel_view before = kernel_view(kernel);
        struct kernel_counts counts = {0};

        check_ok(kernel_at_size(kernel, cases[i].ask, sizes_seen, &counts, &err), &err);
        check_near(counts.iterations.value, cases[i].got, 0);
        check_near(kernel_counts(kernel).iterations.value, 1027, 0);
        check_near(before.array[0].bytes, 1027 * 8, 0); /* what was handed out */
        check_near(before.loop[0].trips, 1027, 0);
        check_eq(kernel_largest(kernel), 1027);
    }
    kernel_free(kernel);
    free(path);
    free(text);
}
