/* Variants under the address, undefined-behaviour and thread sanitizers: what is wrong is
 * reported with its line, what is right is not. */
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/verify/verify.h"

SUITE(variants_sanitize);

#define HEAD "double scale(int n, double s, const double *a, double *b)\n{\n"
#define BODY                                                                             \
    "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] = b[i] + s * " \
    "a[i];\n        sum += b[i];\n    }\n    return sum;\n}\n"
#define PARALLEL(clauses)                                                                \
    HEAD "    double sum = 0;\n#pragma omp parallel for " clauses                        \
         "\n    for (int i = 0; i < n; i++) {\n        b[i] = b[i] + s * a[i];\n"        \
         "        sum += b[i];\n    }\n    return sum;\n}\n"

static const struct {
    const char *what, *source;
    enum variant_program program;
    const char *detail; /* NULL = nothing is reported */
} cases[] = {
    {"right", HEAD BODY, VARIANT_ADDRESS, NULL},
    {"reading behind an array", HEAD "    volatile double x = a[n];\n    (void)x;\n" BODY,
     VARIANT_ADDRESS,
     "the address sanitizer reports: use-after-poison in variant.c:3 at n=1"},
    {"reading before an array",
     HEAD "    volatile double x = b[-2];\n    (void)x;\n" BODY, VARIANT_ADDRESS,
     "the address sanitizer reports: use-after-poison in variant.c:3 at n=1"},
    {"behind a local array",
     HEAD "    double t[8];\n    for (int i = 0; i < n && i < 9; i++)\n        t[i] = "
          "a[i];\n    __asm__ volatile(\"\" : : \"r\"(t) : \"memory\");\n" BODY,
     VARIANT_ADDRESS, "variant.c:5 at n="},
    {"a sum that overflows",
     HEAD "    volatile int x = 0x7fffffff;\n    x = x + n;\n" BODY, VARIANT_ADDRESS,
     "undefined behaviour: signed integer overflow: 2147483647 + 1 cannot be "
     "represented in type 'int' in variant.c:4 at n=1"},
    {"no threads", HEAD BODY, VARIANT_THREADS, NULL},
    {"a race", PARALLEL(""), VARIANT_THREADS,
     "the thread sanitizer reports: data race in variant.c:"},
    {"a race of a loop that is handed out", PARALLEL("schedule(dynamic, 2)"),
     VARIANT_THREADS, "the thread sanitizer reports: data race in variant.c:"},
    {"a race between neighbours",
     HEAD "    double sum = 0;\n#pragma omp parallel for schedule(guided)\n    for (int "
          "i = 0; i < n; i++)\n        b[i] = b[i] + s * a[i] + (i ? 0 * b[i - 1] : "
          "0);\n    for (int i = 0; i < n; i++)\n        sum += b[i];\n    return "
          "sum;\n}\n",
     VARIANT_THREADS, "the thread sanitizer reports: data race in variant.c:"},
    {"a reduction", PARALLEL("reduction(+ : sum)"), VARIANT_THREADS, NULL},
    {"handed out", PARALLEL("reduction(+ : sum) schedule(dynamic, 3)"), VARIANT_THREADS,
     NULL},
    {"guided", PARALLEL("reduction(+ : sum) schedule(guided, 2)"), VARIANT_THREADS, NULL},
    {"in chunks", PARALLEL("reduction(+ : sum) schedule(static, 3)"), VARIANT_THREADS,
     NULL},
    {"two loops, one after the other",
     HEAD "    double sum = 0;\n#pragma omp parallel for\n    for (int i = 0; i < n; "
          "i++)\n        b[i] = b[i] + s * a[i];\n#pragma omp parallel for "
          "reduction(+ : sum) schedule(dynamic)\n    for (long i = n - 1; i >= 0; "
          "i--)\n        sum += b[i];\n    return sum;\n}\n",
     VARIANT_THREADS, NULL},
    {"real threads", PARALLEL("reduction(+ : sum)"), VARIANT_VERIFY, NULL},
    {"real threads under the address sanitizer", PARALLEL("reduction(+ : sum)"),
     VARIANT_ADDRESS, NULL},
};

static void check_case(struct kernel *kernel, size_t i, const struct toolchain *toolchain)
{
    char *source = fixture_file("variant.c", cases[i].source), *program = NULL;
    const struct verify_opts opts = {.scratch = fixture_dir(), .small_only = true};
    struct verify_report report = {0};
    struct error err = {0};
    int built = variant_build_file(kernel, source, toolchain, cases[i].program,
                                   fixture_dir(), &program, &err);

    if (built == 0 &&
        check_ok(variant_verify(kernel, program, &opts, &report, &err), &err)) {
        const char *detail = report.detail ? report.detail : "";

        check_contains(detail, cases[i].detail ? cases[i].detail : "");
        if (!cases[i].detail)
            check_str(detail, "");
        check_eq(report.outcome, cases[i].detail ? RUN_OUTCOME_CRASHED : RUN_OUTCOME_OK);
        verify_report_release(&report);
    } else {
        check_str(err.text, cases[i].what);
    }
    free(program);
    free(source);
}

/* Real threads need the compiler's own OpenMP. */
static bool can_be_built(const struct toolchain *toolchain, size_t i)
{
    if (cases[i].program == VARIANT_VERIFY || strstr(cases[i].what, "real"))
        return !toolchain->is_clang;
    if (toolchain->is_clang &&
        i % 2) /* the runtimes are alike; each case takes its time */
        return false;
    return toolchain_try(toolchain, cases[i].program, fixture_dir(), NULL) == 0;
}

static void check_with(const char *compiler, bool threads)
{
    struct kernel *kernel = fixture_bound("plain", NULL);
    struct toolchain toolchain;
    struct strvec flags = {0};

    strvec_push(&flags, "-O2");
    if (toolchain_find(compiler, &flags, &toolchain, NULL) == 0) {
        for (size_t i = 0; kernel && i < ARRAY_SIZE(cases); i++)
            if (strstr(cases[i].source, "#pragma omp") ? threads : !threads)
                if (can_be_built(&toolchain, i))
                    check_case(kernel, i, &toolchain);
        toolchain_release(&toolchain);
    }
    strvec_release(&flags);
    kernel_free(kernel);
}

static void check_all(bool threads)
{
    check_with("gcc", threads);
    check_with("clang", threads);
}

TEST("accesses are looked at")
{
    check_all(false);
}

TEST("races are found, and only they")
{
    check_all(true);
}
