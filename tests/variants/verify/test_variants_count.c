/* Calls of built kernels, stepped through: what was executed against what the source
 * says. */
#include <stdlib.h>
#include <string.h>

#include "core/run/run.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"

SUITE(variants_count);

static struct kernel *opened(const char *path, const char *const *words)
{
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;
    struct error err = {0};

    for (; *words; words++)
        strvec_push(&request.words, *words);
    if (!check_ok(kernel_open(&request, &kernel, &err), &err) ||
        !check_ok(kernel_bind(kernel, &err), &err)) {
        kernel_free(kernel);
        kernel = NULL;
    }
    strvec_release(&request.words);
    return kernel;
}

/* False when there is nothing to check, after a reported failure or skip. */
static bool count(const char *path, const char *const *words,
                  const struct toolchain *toolchain, double max, struct run_count *got,
                  struct kernel_counts *source)
{
    struct kernel *kernel = opened(path, words);
    struct run_opts opts = {.launch_limit_s = PATIENCE_S};
    struct strvec args = {0};
    struct error err = {0};
    char *program;
    int result;

    if (!kernel)
        return false;
    program = fixture_build(kernel, NULL, toolchain, VARIANT_TIME);
    variant_args(kernel, &args);
    *source = kernel_counts(kernel);
    result = program ? run_count(&(struct run_program){.path = program, .args = &args},
                                 &opts, max, got, &err)
                     : -1;
    if (result && strstr(err.text, "not allowed"))
        check_skip(err.text);
    else
        check_ok(result, &err);
    kernel_free(kernel);
    strvec_release(&args);
    free(program);
    return result == 0;
}

static const char dgemm[] = INFLIGHT_SOURCE_DIR "/templates/kernels/dgemm.c";
static const char triad[] = INFLIGHT_SOURCE_DIR "/templates/kernels/triad.c";

TEST("FLOP are those of the source")
{
    static const struct {
        const char *path, *words[2];
        double min; /* instructions */
    } cases[] = {
        {dgemm, {"set n = 16", NULL}, 4096},
        {dgemm, {"set n = 13", NULL}, 13 * 13 * 13},
        {triad, {"set n = 4096", NULL}, 1024},
    };
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);

    for (size_t t = 0; t < nr; t++)
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
            struct kernel_counts source;
            struct run_count got;

            if (!count(cases[i].path, cases[i].words, &toolchain[t], 1e6, &got, &source))
                return;
            check(got.whole);
            check_near(got.all.flops, source.flops.value, 0);
            check(got.all.instructions >= cases[i].min);
            check(got.all.instructions < 10 * source.iterations.value + 1000);
            check(got.all.code_bytes > 20 && got.all.code_bytes < 4096);
            check_near(got.all.undecoded, 0, 0);
            check(got.all.branches_missed < 0.1 * got.all.instructions);
        }
}

TEST("a long call is cut")
{
    static const char *const words[] = {"set n = 64", NULL};
    const struct toolchain *toolchain;
    struct kernel_counts source;
    struct run_count got;

    fixture_toolchains(&toolchain);
    if (!count(dgemm, words, toolchain, 3000, &got, &source))
        return;
    check(!got.whole);
    check_near(got.all.instructions, 3000, 0);
    check_near(got.half.instructions, 1500, 0);
    check(got.half.flops > 0.4 * got.all.flops && got.half.flops < 0.6 * got.all.flops);
}

/* The source model gives no counts here: a while loop, and a branch on data. */
static const char while_loop[] = "#pragma inflight kernel\n"
                                 "#pragma inflight set n = 2000\n"
                                 "#pragma inflight buffer a = uniform(-1, 1)\n"
                                 "#pragma inflight buffer sum = zero\n"
                                 "void walk(long n, const double a[n], double sum[1])\n"
                                 "{\n"
                                 "    double s = 0;\n"
                                 "    for (long i = 0; i < n;) {\n"
                                 "        s = a[i] > 0 ? s / a[i] : s * 0.5;\n"
                                 "        if (a[i] > 0)\n"
                                 "            __asm__ volatile(\"\" ::: \"memory\");\n"
                                 "        i++;\n"
                                 "    }\n"
                                 "    sum[0] = s;\n"
                                 "}\n";

TEST("what the source cannot count is counted")
{
    static const char *const words[] = {NULL};
    char *path = fixture_file("walk.c", while_loop);
    const struct toolchain *toolchain;
    struct kernel_counts source;
    struct run_count got;

    fixture_toolchains(&toolchain);
    if (count(path, words, toolchain, 1e6, &got, &source)) {
        check(!source.flops.known);
        check(got.whole);
        check(got.all.flops >= 2000 && got.all.flops <= 4000);
        check(got.all.divisions >= 900 && got.all.divisions <= 2000);
        check(got.all.branches_missed > 500); /* a coin for each element */
    }
    free(path);
}

TEST("what is no program is refused")
{
    struct strvec none = {0};
    struct run_program program = {.path = "/nonexistent/program", .args = &none};
    struct run_opts opts = {0};
    struct run_count got;
    struct error err = {0};

    check(run_count(&program, &opts, 100, &got, &err) == -1);
    check_contains(err.text, "/nonexistent/program");
    err = (struct error){0};
    program.path = "true"; /* ends at once */
    check_fails(run_count(&program, &opts, 100, &got, &err), &err, STATUS_FAILED,
                "before it could be counted");
}
