/* Whole calls of built kernels, stepped through: what was executed against what the
 * source says. */
#include <stdlib.h>
#include <string.h>

#include "core/run/run.h"
#include "core/run/run_stretch.h"
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
                  const struct toolchain *toolchain, struct stretch_counts *got,
                  struct kernel_counts *source)
{
    struct kernel *kernel = opened(path, words);
    struct run_opts opts = {.launch_limit_s = PATIENCE_S};
    struct stretch_request request = {.instructions = 1000000, .limit_s = PATIENCE_S};
    struct stretches stretches = {0};
    struct strvec args = {0};
    struct error err = {0};
    char *program;
    int result;

    if (!kernel)
        return false;
    program = fixture_build(kernel, path, toolchain, VARIANT_TIME);
    variant_args(kernel, &args);
    *source = kernel_counts(kernel);
    result = program
                 ? run_stretches(&(struct run_program){.path = program, .args = &args},
                                 &opts, &request, &stretches, &err)
                 : -1;
    if (result && strstr(err.text, "not allowed"))
        check_skip(err.text);
    else if (check_ok(result, &err))
        check(stretches.whole);
    if (!result)
        *got = stretches_count(&stretches, 0, stretches.step_nr);
    stretches_release(&stretches);
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
            struct stretch_counts got;

            if (!count(cases[i].path, cases[i].words, &toolchain[t], &got, &source))
                return;
            check_near(got.flops, source.flops.value, 0);
            check(got.instructions >= cases[i].min);
            check(got.instructions < 10 * source.iterations.value + 1000);
            check(got.code_bytes > 20 && got.code_bytes < 4096);
            check_near(got.undecoded, 0, 0);
            check(got.branches_missed < 0.1 * got.instructions);
        }
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
    struct stretch_counts got;

    fixture_toolchains(&toolchain);
    if (count(path, words, toolchain, &got, &source)) {
        check(!source.flops.known);
        check(got.flops >= 2000 && got.flops <= 4000);
        check(got.divisions >= 900 && got.divisions <= 2000);
        check(got.branches_missed > 500); /* a coin for each element */
    }
    free(path);
}
