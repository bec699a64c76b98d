#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_view.h"
#include "variants/model/model.h"
#include "variants/verify/verify.h"

SUITE(variants_verify);

/* Verifies `source` (a file's text; NULL = the kernel itself) as a variant of the kernel.
 */
static void verify(const char *name, const char *source,
                   const struct toolchain *toolchain, struct verify_opts opts,
                   struct verify_report *report)
{
    static int number;
    struct kernel *kernel = fixture_bound(name, NULL);
    char *file = xasprintf("variant%d.c", number++);
    char *path = source ? fixture_file(file, source) : NULL, *program = NULL;
    struct error err = {0};

    *report = (struct verify_report){.outcome = RUN_OUTCOME_NOT_BUILT};
    opts.scratch = fixture_dir();
    if (kernel)
        program = fixture_build(kernel, path, toolchain, VARIANT_VERIFY);
    if (program)
        check_ok(variant_verify(kernel, program, &opts, report, &err), &err);
    free(program);
    free(path);
    free(file);
    kernel_free(kernel);
}

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* ---- right variants ---- */

TEST("kernels equal themselves")
{
    static const struct {
        const char *file, *sizes;
    } cases[] = {
        {"plain", "n=1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 33, 63, 64, 65, 97, 257, 1021, "
                  "4099, 0, -1, 5000"},
        {"vla",
         "n x m=3 x 37, 37 x 8, 8 x 61, 61 x 1, 1 x 19, 19 x 2, 2 x 23, 23 x 0, 0 x 3, "
         "90 x 5, 5 x 70, 1 x 1, 2 x 2,"},
        {"sparse", "97 x 97, 200 x 257, 200 x 300"},
        {"integers", "n=1, 2, 3,"},
        {"globals", "257, 0, 400"},
        {"rows", "n x m=3 x 23, 37 x 8,"},
    };
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);

    for (size_t i = 0; i < nr * ARRAY_SIZE(cases); i++) {
        const size_t k = i % ARRAY_SIZE(cases);
        struct verify_report report;

        verify(cases[k].file, NULL, &toolchain[i / ARRAY_SIZE(cases)],
               (struct verify_opts){0}, &report);
        check_eq(report.outcome, RUN_OUTCOME_OK);
        check_str(text_of(report.detail), "");
        check_contains(text_of(report.sizes), cases[k].sizes);
        check_near(report.max_relative_error, 0, 0);
        verify_report_release(&report);
    }
}

#define SCALE "double scale(int n, double s, const double *a, double *b)\n{\n"
#define PRODUCT                                                                          \
    "void product(int n, int m, const float A[n][m], const float x[m], float "           \
    "y[restrict "                                                                        \
    "n])\n{\n"

TEST("rounding is tolerated and told")
{
    static const char backwards[] = SCALE
        "    double sum = 0;\n    for (int i = n - 1; i >= 0; i--) {\n        b[i] = "
        "b[i] + s * a[i];\n        sum += b[i];\n    }\n    return sum;\n}\n";
    const struct toolchain *toolchain;
    struct verify_report report;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    verify("plain", backwards, toolchain, (struct verify_opts){0}, &report);
    check_eq(report.outcome, RUN_OUTCOME_OK);
    check(report.max_relative_error > 0 && report.max_relative_error < 1e-12);
    check_near(report.tolerance.relative_double, 1e-9, 0);
    check_near(report.tolerance.relative_float, 1e-4, 0);
    verify_report_release(&report);
    verify("plain", backwards, toolchain, (struct verify_opts){.relative = 1e-18},
           &report);
    check_eq(report.outcome, RUN_OUTCOME_WRONG_RESULT);
    check_contains(text_of(report.detail), "it returns ");
    verify_report_release(&report);
    verify("plain", backwards, toolchain,
           (struct verify_opts){.relative = 1e-18, .absolute = 1e-6}, &report);
    check_eq(report.outcome, RUN_OUTCOME_OK);
    verify_report_release(&report);
}

/* What the plan's code promises to test decides which sizes are tried. */
TEST("both sides of a size are tried")
{
    static const char above[] = SCALE
        "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] = "
        "b[i] + s * a[i];\n        sum += b[i];\n    }\n    return n == 2999 ? sum + 1 : "
        "sum;\n}\n";
    static const struct {
        const char *file, *source, *rests_on, *sizes, *detail;
    } cases[] = {
        {"plain", NULL, "n >= 3000" TESTED_SIZE "\n", "-1, 2999, 3000, 3001, 3037, 5000",
         ""},
        {"plain", NULL, "'a' is even\nn >= 3000 at line 8" TESTED_SIZE "\n",
         "2999, 3000, 3001, 3037", ""},
        {"plain", above, "n >= 3000" TESTED_SIZE "\n", "", "at n=2999"},
        {"plain", NULL, "n >= 5000" TESTED_SIZE "\n", "-1, 4999, 5000", ""},
        {"vla", NULL, "n >= 50 and m >= 40" TESTED_SIZE "\n",
         "49 x 39, 50 x 40, 51 x 41, 87 x 70", ""},
        {"vla", NULL, "m >= 60" TESTED_SIZE "\n", "37 x 59, 37 x 60, 37 x 61, 37 x 70",
         ""},
        {"vla", NULL, "other >= 100" TESTED_SIZE "\n", "37 x 37", ""},
    };
    const struct toolchain *toolchain;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verify_report report;

        verify(cases[i].file, cases[i].source, toolchain,
               (struct verify_opts){.rests_on = cases[i].rests_on}, &report);
        check_contains(text_of(report.sizes), cases[i].sizes);
        check_contains(text_of(report.detail), cases[i].detail);
        verify_report_release(&report);
    }
}

/* ---- wrong variants ---- */

/* What only shows at sizes that are far apart, and behind blocks of blocks. */
TEST("sizes are tried far apart and behind blocks of blocks")
{
    static const struct {
        const char *file, *source, *at;
    } cases[] = {
        {"vla",
         PRODUCT
         "    for (int i = 0; i < n; i++)\n        for (int j = 0; j < m && j < n "
         "+ 60; j++)\n            y[i] += A[i][j] * x[j];\n}\n",
         "at n=5 m=70"},
        {"vla",
         PRODUCT "    for (int i = 0; i < n && i < m + 80; i++)\n        for (int j = 0; "
                 "j < m; j++)\n            y[i] += A[i][j] * x[j];\n}\n",
         "at n=90 m=5"},
        {"plain",
         SCALE
         "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] += s "
         "* a[i];\n        sum += b[i];\n    }\n    return n > 1 && n % 24 == 1 && "
         "n % 5 == 1 ? sum + 1 : sum;\n}\n",
         "at n=121"},
    };
    const struct toolchain *toolchain;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verify_report report;

        verify(cases[i].file, cases[i].source, toolchain,
               (struct verify_opts){.small_only = true}, &report);
        check_eq(report.outcome, RUN_OUTCOME_WRONG_RESULT);
        check_contains(text_of(report.detail), cases[i].at);
        verify_report_release(&report);
    }
}

static const struct {
    const char *what, *file, *source;
    enum run_outcome outcome;
    const char *detail;
} wrong_cases[] = {
    {"one element", "plain",
     SCALE
     "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] = b[i] + "
     "s * a[i] + (i == 3);\n        sum += b[i] - (i == 3);\n    }\n    return "
     "sum;\n}\n",
     RUN_OUTCOME_WRONG_RESULT, "b[3] is "},
    {"the returned value", "plain",
     SCALE "    for (int i = 0; i < n; i++)\n        b[i] = b[i] + s * a[i];\n    return "
           "7;\n}\n",
     RUN_OUTCOME_WRONG_RESULT, "it returns 7 instead of "},
    {"a remainder that is lost", "plain",
     SCALE "    double sum = 0;\n    for (int i = 0; i < n / 37 * 37; i++) {\n        "
           "b[i] = b[i] + s * a[i];\n        sum += b[i];\n    }\n    for (int i = n / "
           "37 * 37; n % 37 != 36 && i < n; i++) {\n        b[i] = b[i] + s * a[i];\n   "
           "     sum += b[i];\n    }\n    return sum;\n}\n",
     RUN_OUTCOME_WRONG_RESULT, "at n=36"},
    {"overwriting instead of adding to zeros", "vla",
     PRODUCT
     "    for (int i = 0; i < n; i++) {\n        float sum = 0;\n        for (int "
     "j = 0; j < m; j++)\n            sum += A[i][j] * x[j];\n        y[i] = "
     "sum;\n    }\n}\n",
     RUN_OUTCOME_WRONG_RESULT, "y[0] is "},
    {"only where n and m differ", "vla",
     PRODUCT "    for (int i = 0; i < m; i++)\n        for (int j = 0; i < n && j < m; "
             "j++)\n            y[i] += A[i][j] * x[j];\n}\n",
     RUN_OUTCOME_WRONG_RESULT, "at n=37 m=8"},
    {"a sign", "integers",
     "#include <stdbool.h>\n#include <stdint.h>\nunsigned mmap(uint32_t n, const int8_t "
     "b[n], const uint16_t k[n], long long w[n], bool odd[n])\n{\n    unsigned sum = "
     "0;\n    for (uint32_t i = 0; i < n; i++) {\n        w[k[i]] = (unsigned char)b[i] "
     "* 3;\n        odd[i] = b[i] % 2 != 0;\n        sum += (unsigned)b[i];\n    }\n    "
     "return sum;\n}\n",
     RUN_OUTCOME_WRONG_RESULT, "instead of -"},
    {"just behind an array", "plain",
     SCALE
     "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] = b[i] + "
     "s * a[i];\n        sum += b[i];\n    }\n    b[n] = 1;\n    return sum;\n}\n",
     RUN_OUTCOME_WRONG_RESULT, "it writes outside array 'b' at n=1"},
    {"far behind an array", "plain",
     SCALE
     "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] = b[i] + "
     "s * a[i];\n        sum += b[i];\n    }\n    b[n + 100] = 1;\n    return "
     "sum;\n}\n",
     RUN_OUTCOME_CRASHED, "it touches b[101], which is outside of it, at n=1"},
    {"reading behind an array", "plain",
     SCALE
     "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] = b[i] + "
     "s * a[i];\n        sum += b[i];\n    }\n    return sum + 0 * a[n + "
     "8];\n}\n",
     RUN_OUTCOME_CRASHED, "it touches a[9], which is outside of it, at n=1"},
    {"an array that is only read", "plain",
     SCALE
     "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] = b[i] + "
     "s * a[i];\n        sum += b[i];\n    }\n    ((double *)a)[n / 2] = 0;\n    "
     "return sum;\n}\n",
     RUN_OUTCOME_CRASHED, "it writes a[0], which it may only read, at n=1"},
    {"a crash at some size", "plain",
     SCALE
     "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] = b[i] + "
     "s * a[i];\n        sum += b[i];\n    }\n    if (n == 13)\n        "
     "__builtin_trap();\n    return sum;\n}\n",
     RUN_OUTCOME_CRASHED, " at n=13"},
};

TEST("differences are found")
{
    const struct toolchain *toolchain;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(wrong_cases); i++) {
        struct verify_report report;

        verify(wrong_cases[i].file, wrong_cases[i].source, toolchain,
               (struct verify_opts){.small_only = true}, &report);
        if (!check_eq(report.outcome, wrong_cases[i].outcome))
            printf("    (%s)\n", wrong_cases[i].what);
        check_contains(text_of(report.detail), wrong_cases[i].detail);
        verify_report_release(&report);
    }
}

/* ---- ends of types, no trips, arrays that overlap ---- */

#define NARROW    "#include <stdint.h>\nvoid narrow(int8_t n, const int *a, int *b)\n{\n"
#define BACKWARDS "for (int i = n - 1; i >= 0; i--)\n        b[i] = b[i] / 2 + a[i];\n"
#define FORWARDS  "for (int i = 0; i < n; i++)\n        b[i] = b[i] / 2 + a[i];\n"
#define APART     "n < 1 || &b[n - 1] < &a[0] || &a[n - 1] < &b[0]"
#define RESTS_ON                                                                         \
    "n is positive\n'a' and 'b' do not overlap (tested at run time; the original loop "  \
    "runs if they do)\n"

static const struct {
    const char *what, *source, *rests_on;
    enum run_outcome outcome;
    const char *detail, *sizes;
} end_cases[] = {
    {"as it is", NARROW FORWARDS "}\n", NULL, RUN_OUTCOME_OK, "", "0, 126, 127, -1"},
    {"a bound that wraps",
     NARROW "for (int8_t i = 0, end = (int8_t)(n + 1); i + 1 < end; i++)\n        "
            "b[i] = b[i] / 2 + a[i];\n}\n",
     NULL, RUN_OUTCOME_WRONG_RESULT, "at n=127", ""},
    {"no trips, but with a sign lost",
     NARROW "for (uint8_t i = 0; i < (uint8_t)n; i++)\n        b[i] = b[i] / 2 + "
            "a[i];\n}\n",
     NULL, RUN_OUTCOME_CRASHED, "at n=-1", ""},
    {"a guard", NARROW "if (" APART ")\n" BACKWARDS "else\n" FORWARDS "}\n", RESTS_ON,
     RUN_OUTCOME_OK, "", "17 (a = b + 1), 17 (b = a + 1), 64 (a = b + 1)"},
    {"its guard removed", NARROW BACKWARDS "}\n", RESTS_ON, RUN_OUTCOME_WRONG_RESULT,
     "at n=17 with a = b + 1", ""},
    {"a guard that nobody promised", NARROW BACKWARDS "}\n", "n is positive\n",
     RUN_OUTCOME_OK, "", "127, -1"},
    {"half of a guard",
     NARROW "if (n < 1 || &a[0] != &b[n - 1])\n" BACKWARDS "else\n" FORWARDS "}\n",
     RESTS_ON, RUN_OUTCOME_WRONG_RESULT, "at n=17 with a = b + 1", ""},
};

TEST("ends and overlaps are tried")
{
    const struct toolchain *toolchain;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(end_cases); i++) {
        struct verify_report report;

        verify(
            "narrow", end_cases[i].source, toolchain,
            (struct verify_opts){.small_only = true, .rests_on = end_cases[i].rests_on},
            &report);
        if (!check_eq(report.outcome, end_cases[i].outcome))
            printf("    (%s)\n", end_cases[i].what);
        check_contains(text_of(report.detail), end_cases[i].detail);
        check_contains(text_of(report.sizes), end_cases[i].sizes);
        verify_report_release(&report);
    }
}

TEST("rows that overlap are tried")
{
    static const char backwards[] =
        "void rows(int n, int m, double **c, const double *b)\n{\n"
        "    for (int i = n - 1; i >= 0; i--)\n"
        "        for (int j = m - 1; j >= 0; j--)\n"
        "            c[i][j] = 2 * c[i][j] + b[i];\n}\n";
    const char *rests_on = TESTED_ROWS "'c'" TESTED_APART "; the original loop runs)\n";
    const struct toolchain *toolchain;
    struct verify_report report;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    verify("rows", backwards, toolchain, (struct verify_opts){0}, &report);
    check_eq(report.outcome, RUN_OUTCOME_OK);
    verify_report_release(&report);
    verify("rows", backwards, toolchain, (struct verify_opts){.rests_on = rests_on},
           &report);
    check_eq(report.outcome, RUN_OUTCOME_WRONG_RESULT);
    check_contains(text_of(report.detail), "with rows of c that overlap");
    verify_report_release(&report);
}

/* What it would do if the arrays were as the sizes before left them. */
#define FIXED                                                                            \
    "void fixed(int n, double a[200][200], const double b[200][200])\n{\n"               \
    "    if (%s)\n        a[0][0] = -1;\n    for (int t = 0; t < 400; t++)\n"            \
    "        for (int i = 0; i < n; i++)\n            for (int j = 0; j < n; j++)\n"     \
    "                a[i][j] = a[i][j] + b[i][j];\n}\n"

TEST("arrays that stay are filled again")
{
    static const struct {
        const char *when;
        enum run_outcome outcome;
    } cases[] = {{"a[0][0] > 1.5", RUN_OUTCOME_OK},
                 {"n == 17 && a[0][0] <= 1.5", RUN_OUTCOME_WRONG_RESULT}};
    const struct toolchain *toolchain;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *source = xasprintf(FIXED, cases[i].when);
        struct verify_report report;

        verify("fixed", source, toolchain, (struct verify_opts){.small_only = true},
               &report);
        check_eq(report.outcome, cases[i].outcome);
        verify_report_release(&report);
        free(source);
    }
}

/* The same in another order. */
#define CANCEL                                                                           \
    "void cancel(int n, int m, const double *a, double *x)\n{\n"                         \
    "    for (int i = 0; i < n; i++) {\n        double s = 0;\n"                         \
    "        for (int k = m - 1; k >= 0; k--)\n            s += a[k];\n"                 \
    "        x[i] = m > n ? 0 : s%s;\n        for (int k = m - n - 1; k >= 0 && k < m "  \
    "- n; k += m) "                                                                      \
    "{\n            double z = (s + k) * (3.7 + i) - (s + k) * (1.2 + i) - (s + k) * "   \
    "2.5;\n            x[i] += z > 0 ? z : 0;\n        }\n    }\n}\n"

TEST("sizes where the original's results are rounding prove nothing")
{
    static const struct {
        const char *behind;
        enum run_outcome outcome;
        const char *detail;
    } cases[] = {
        {"", RUN_OUTCOME_OK,
         "n=40 m=50 left out: the original's own results change there with the last "
         "digits of its inputs"},
        {" + 1e-6", RUN_OUTCOME_WRONG_RESULT, "x[0] is "}};
    const struct toolchain *toolchain;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *source = xasprintf(CANCEL, cases[i].behind);
        struct verify_report report;

        verify("cancel", source, toolchain, (struct verify_opts){0}, &report);
        check_eq(report.outcome, cases[i].outcome);
        check_contains(text_of(report.detail), cases[i].detail);
        verify_report_release(&report);
        free(source);
    }
}

/* Of a variant that was right at the small sizes only the full one is left. */
TEST("small sizes that were compared are not compared again")
{
    static char sizes[] = "n=1, 2";
    static const struct verify_report small = {.sizes = sizes,
                                               .max_relative_error = 0.25};
    const struct toolchain *toolchain;
    struct verify_report report;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    verify("plain", NULL, toolchain, (struct verify_opts){.small = &small}, &report);
    check_eq(report.outcome, RUN_OUTCOME_OK);
    check_str(text_of(report.sizes), "n=1, 2, 5000");
    check_near(report.max_relative_error, 0.25, 0);
    verify_report_release(&report);
}

TEST("only the full size may show it")
{
    static const char wrong[] = SCALE
        "    double sum = 0;\n    for (int i = 0; i < n; i++) {\n        b[i] = b[i] + "
        "s * a[i];\n        sum += b[i];\n    }\n    if (n / 4 > 1060)\n        b[17] = "
        "-1;\n    return sum;\n}\n";
    const struct toolchain *toolchain;
    struct verify_report report;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    verify("plain", wrong, toolchain, (struct verify_opts){.small_only = true}, &report);
    check_eq(report.outcome, RUN_OUTCOME_OK);
    verify_report_release(&report);
    verify("plain", wrong, toolchain, (struct verify_opts){0}, &report);
    check_eq(report.outcome, RUN_OUTCOME_WRONG_RESULT);
    check_contains(text_of(report.detail), "b[17] is -1 instead of ");
    check_contains(text_of(report.detail), " at n=5000");
    verify_report_release(&report);
}

TEST("a hang is ended")
{
    const struct toolchain *toolchain;
    struct verify_report report;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    verify("plain",
           SCALE "    while (n == 5)\n        *(volatile double *)b;\n    for (int i "
                 "= 0; i < n; i++)\n        b[i] += s * a[i];\n    double sum = "
                 "0;\n    for (int i = 0; i < n; i++)\n        sum += b[i];\n    "
                 "return sum;\n}\n",
           toolchain, (struct verify_opts){.limit_s = 10}, &report);
    check_eq(report.outcome, RUN_OUTCOME_TIMED_OUT);
    check_contains(text_of(report.detail), " at n=5");
    check_str(text_of(report.sizes), "n=1, 2, 3, 4");
    verify_report_release(&report);
}

/* A variant's own idea of a helper must not become the original's. */
TEST("each kernel has its own helpers")
{
    static const char other[] =
        "double weight = 1.25;\n"
        "double weighted(double x)\n{\n    return -x;\n}\n"
        "static void spmv(int rows, int cols, int nnz, const int start[rows + 1], const "
        "int "
        "col[nnz],\n                 const double val[nnz], const double x[cols], double "
        "*y)\n{\n    for (int i = 0; i < rows; i++) {\n        double sum = 0;\n        "
        "for "
        "(int k = start[i]; k < start[i + 1]; k++)\n            sum += 0.5 * (val[k] * "
        "x[col[k]]);\n        y[i] = weighted(sum);\n    }\n}\n";
    const struct toolchain *toolchain;
    struct verify_report report;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    verify("sparse", other, toolchain, (struct verify_opts){.small_only = true}, &report);
    check_eq(report.outcome, RUN_OUTCOME_WRONG_RESULT);
    check_contains(text_of(report.detail), "is -");
    verify_report_release(&report);
}

TEST("sizes where the original fails are left out")
{
    const struct toolchain *toolchain;
    struct verify_report report;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    verify("fours", NULL, toolchain, (struct verify_opts){0}, &report);
    check_eq(report.outcome, RUN_OUTCOME_OK);
    check_str(text_of(report.sizes), "n=4, 8, 16, 64, 0, 400");
    check_contains(text_of(report.detail), "n=1, n=2, n=3, n=5, ");
    check_contains(text_of(report.detail), "left out: the original itself fails there");
    verify_report_release(&report);
    verify("plain", NULL, toolchain, (struct verify_opts){.memory_limit_bytes = 1000},
           &report);
    check_eq(report.outcome, RUN_OUTCOME_OK);
    check_str(text_of(report.detail), "n=5000 left out: it needs 117 KiB");
    verify_report_release(&report);
}

/* ---- the untransformed kernel ---- */

TEST("kernels are proven")
{
    static const struct {
        const char *file;
        int status; /* -1 = good */
        const char *text;
    } cases[] = {
        {"plain", -1, ""},
        {"sparse", -1, ""},
        {"globals", -1, ""},
        {"fours", -1, ""},
        {"crash", STATUS_UNVERIFIABLE, "'crash' cannot be verified: ended by SIGSEGV"},
        {"hang", STATUS_UNVERIFIABLE,
         "'hang' as written did not end within 1 s and was killed at n=100"},
        {"const_write", STATUS_UNVERIFIABLE,
         "'cheat' cannot be verified: it writes a[50], which it may only read, at n=100"},
        {"outside", STATUS_UNVERIFIABLE,
         "'overrun' cannot be verified: it writes outside array 'a' at n=101"},
        {"counter", STATUS_UNVERIFIABLE,
         "'count' gives different results when it is called again with the same "
         "arguments: "
         "a[0] "
         "is 2 instead of 1 at n=1"},
        {"nan", STATUS_INPUT,
         "50 results of 'divide' in 'b' are NaN, which makes its speed unlike that of "
         "real "
         "data; set better contents, such as `#pragma inflight buffer a = "
         "uniform(0.5,1.5)`"},
        {"denormal", STATUS_INPUT, "100 results of 'shrink' in 'b' are denormal"},
    };
    const struct toolchain *toolchain;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct kernel *kernel = fixture_bound(cases[i].file, NULL);
        bool hangs = !strcmp(cases[i].file, "hang");
        struct verify_opts opts = {.limit_s = hangs ? 1 : 10, .scratch = fixture_dir()};
        struct verify_proof proof;
        struct error err = {0};

        if (!kernel)
            continue;
        if (cases[i].status < 0)
            check_ok(kernel_prove(kernel, toolchain, fixture_dir(), &opts, &proof, &err),
                     &err);
        else
            check_fails(
                kernel_prove(kernel, toolchain, fixture_dir(), &opts, &proof, &err), &err,
                (enum status)cases[i].status, cases[i].text);
        kernel_free(kernel);
    }
}

TEST("a kernel that does not end by the end of the budget is told")
{
    const struct toolchain *toolchain;
    struct verify_opts opts = {.end_s = clock_s(), .scratch = fixture_dir()};
    struct verify_proof proof;
    struct kernel *kernel = fixture_bound("hang", NULL);
    struct error err = {0};

    if (kernel && fixture_toolchains(&toolchain))
        check_fails(kernel_prove(kernel, toolchain, fixture_dir(), &opts, &proof, &err),
                    &err, STATUS_UNVERIFIABLE,
                    "'hang' as written did not end within 2 s and was killed at n=100; "
                    "--budget gives it more time, smaller sizes (--set) need less");
    kernel_free(kernel);
}

TEST("small sizes at which the original hangs are tried once")
{
    const struct toolchain *toolchain;
    struct strvec failing = {0};
    struct verify_opts opts = {
        .limit_s = 3, .scratch = fixture_dir(), .failing = &failing};
    struct verify_proof proof;
    struct verify_report report = {0};
    struct kernel *kernel = fixture_bound("hang_small", NULL);
    char *program = NULL;
    struct error err = {0};

    if (!kernel || !fixture_toolchains(&toolchain))
        return;
    check_ok(kernel_prove(kernel, toolchain, fixture_dir(), &opts, &proof, &err), &err);
    check(failing.nr > 10 && strvec_has(&failing, "n=1") && strvec_has(&failing, "n=97"));
    check(!strvec_has(&failing, "n=5000"));
    program = fixture_build(kernel, NULL, toolchain, VARIANT_VERIFY);
    if (program)
        check_ok(variant_verify(kernel, program, &opts, &report, &err), &err);
    check_str(text_of(report.sizes), "n=5000");
    check_contains(text_of(report.detail), "n=1, n=2, ");
    verify_report_release(&report);
    strvec_release(&failing);
    free(program);
    kernel_free(kernel);
}

/* Nobody said what they hold, and with the usual contents the results are NaN. */
TEST("contents that keep results in range are found")
{
    const struct toolchain *toolchain;
    struct verify_opts opts = {.limit_s = 10, .scratch = fixture_dir()};
    struct verify_proof proof;
    struct kernel *kernel = fixture_bound("steady", NULL);
    struct error err = {0};

    if (kernel && fixture_toolchains(&toolchain) &&
        check_ok(kernel_prove(kernel, toolchain, fixture_dir(), &opts, &proof, &err),
                 &err)) {
        struct kernel_view view = kernel_view(kernel);

        check_str(view.array[0].contents, "dominant(n)");
        check_str(view.array[1].contents, "uniform(0.5,1.5)");
        check_str(
            kernel_inputs_note(kernel),
            "l = dominant(n) since other contents lead out of the range of numbers");
    }
    kernel_free(kernel);
}

/* What somebody said stays, as what no contents help. */
TEST("contents that were asked for are kept")
{
    static const char *const asked[] = {"buffer l = uniform(1,2)", NULL};
    static const struct {
        const char *file;
        const char *const *words;
        const char *contents, *text;
    } cases[] = {{"steady", asked, "uniform(1,2)", "are NaN"},
                 {"denormal", NULL, "uniform(0.5,1.5)", "are denormal"}};
    const struct toolchain *toolchain;

    if (fixture_toolchains(&toolchain) == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verify_opts opts = {.limit_s = 10, .scratch = fixture_dir()};
        struct verify_proof proof;
        struct kernel *kernel = fixture_bound(cases[i].file, cases[i].words);
        struct error err = {0};

        if (!kernel)
            continue;
        check_fails(kernel_prove(kernel, toolchain, fixture_dir(), &opts, &proof, &err),
                    &err, STATUS_INPUT, cases[i].text);
        struct kernel_view view = kernel_view(kernel);
        for (size_t k = 0; k < view.array_nr; k++)
            if (view.array[k].read && !strcmp(view.array[k].name, i ? "a" : "l"))
                check_str(view.array[k].contents, cases[i].contents);
        check(!kernel_inputs_note(kernel));
        kernel_free(kernel);
    }
}

static char *kept_file(const char *folder)
{
    DIR *dir = opendir(folder);
    char *path = NULL;

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (strncmp(entry->d_name, "kept-", 5) == 0 && !path)
            path = path_join(folder, entry->d_name);
    if (dir)
        closedir(dir);
    return path;
}

/* What was kept of the first is what the second is compared with. */
TEST("results of the full size are kept")
{
    const struct toolchain *toolchain;
    char *folder = path_join(fixture_dir(), "keeps"), *path;
    const struct verify_opts opts = {.kept = folder};
    struct verify_report report;
    struct error err = {0};
    struct buf text = {0};

    if (fixture_toolchains(&toolchain) == 0 ||
        !check_ok(dir_make_all(folder, &err), &err))
        return;
    verify("plain", NULL, &toolchain[0], opts, &report);
    check_eq(report.outcome, RUN_OUTCOME_OK);
    verify_report_release(&report);
    path = kept_file(folder);
    if (check(path != NULL) && check_ok(file_read(path, &text, &err), &err)) {
        check_eq(text.length, 5000 * 8 + 16); /* b, and what it returned */
        memset(text.data + 800, 0, 8);
        check_ok(file_write(path, text.data, text.length, &err), &err);
        verify("plain", NULL, &toolchain[0], opts, &report);
        check_eq(report.outcome, RUN_OUTCOME_WRONG_RESULT);
        check_contains(text_of(report.detail), "b[100] is ");
        verify_report_release(&report);
        check_ok(file_write(path, text.data, 100, &err), &err); /* does not fit */
        verify("plain", NULL, &toolchain[0], opts, &report);
        check_eq(report.outcome, RUN_OUTCOME_OK);
        verify_report_release(&report);
    }
    buf_release(&text);
    free(path);
    free(folder);
}
