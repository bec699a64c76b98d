/* Tunables: values and constraints as words, definitions in the file, plans that set
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/files/fs.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/directives/tunable.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"
#include "variants/plan/plan.h"
#include "variants/verify/verify.h"

SUITE(variants_tunable);

/* ---- words ---- */

TEST("values are read")
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"in {8,16,32}", "8 16 32"},
        {" in { 32 , 8, 8 } ", "32 8"},
        {"in 8:128:x2", "8 16 32 64 128"},
        {"in 8:100:x2", "8 16 32 64"},
        {"in 8:32:+8", "8 16 24 32"},
        {"in {1, 2, 4:16:x4, -3}", "1 2 4 16 -3"},
        {"in 5", "5"},
        {"in 1:10:x1.5", "1 2 3 5 8"},
        {"in -2:2:+2", "-2 0 2"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct tunable_values values = {0};
        struct error err = {0};
        struct buf got = {0};

        check_ok(tunable_values_read(cases[i].text, &values, &err), &err);
        for (size_t k = 0; k < values.nr; k++)
            buf_addf(&got, "%s%lld", k ? " " : "", values.v[k]);
        check_str(buf_str(&got), cases[i].want);
        buf_release(&got);
        tunable_values_release(&values);
    }
}

TEST("wrong values are refused")
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"{8}", "expected 'NAME in {8,16,32}'"},
        {"in {8", "a '}' is missing"},
        {"in {}", "expected"},
        {"in 8:16", "lacks its step"},
        {"in 16:8:x2", "8 lies below 16"},
        {"in 8:16:x1", "does not step up"},
        {"in 8:16:+0.5", "does not step up"},
        {"in 8:16:2", "neither a factor"},
        {"in 0:16:x2", "start at 1 or more"},
        {"in 8.5", "not a whole number"},
        {"in 99999999999", "beyond"},
        {"in 1:1000000:+1", "more than 4096 values"},
        {"in {8} 9", "'9' is left over"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct tunable_values values = {0};
        struct error err = {0};

        check_fails(tunable_values_read(cases[i].text, &values, &err), &err, STATUS_INPUT,
                    cases[i].part);
        tunable_values_release(&values);
    }
}

static int lookup(void *data, const char *name, struct directive_number *out)
{
    (void)data;
    *out = directive_integer(name[0] == 'T' ? 64 : 3);
    return name[0] == 'X' ? -1 : 0;
}

TEST("constraints are judged")
{
    static const struct {
        const char *text;
        bool want;
    } cases[] = {
        {"T * T * 8 <= 32768", true}, {"T * T * 8 < 32768", false},
        {"T >= 64 && U == 3", true},  {"T > 64 && U == 3", false},
        {"T > 64 && U != 3", false},  {"T % U == 1", true},
        {"T/2.0 != 32", false},
    };
    struct error err = {0};
    bool holds = false;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check_ok(constraint_eval(cases[i].text, lookup, NULL, &holds, &err), &err);
        check_eq(holds, cases[i].want);
    }
    check_fails(constraint_check("T * U", &err), &err, STATUS_INPUT, "compares nothing");
    check_fails(constraint_check("T <= ", &err), &err, STATUS_INPUT,
                "a value is missing");
    check_fails(constraint_eval("X < 1", lookup, NULL, &holds, &err), &err, STATUS_INPUT,
                "'X' is not known");
}

/* ---- definitions ---- */

TEST("definitions are found by token")
{
    static const struct {
        const char *text, *value;
        long long now;
        int line;
    } cases[] = {
        {"#define T 32\n", "32", 32, 1},
        {"/* #define T 1 */\n// #define T 2\nchar *s = \"#define T 3\";\n#define T 4 // "
         "5\n",
         "4", 4, 4},
        {"# define  T \\\n (0x20) /* x */\n", "(0x20)", 32, 1},
        {"#define TT 1\n#define T 2\n", "2", 2, 2},
        {"#define T (4 * 8)\n", "(4 * 8)", 32, 1},
        {"#define T -8L\n", "-8L", -8, 1},
        {"enum { A = 1, T = 16, B };", "16", 16, 1},
        {"enum size { A, T = 16u };", "16u", 16, 1},
        {"static const int T = 12;\n", "12", 12, 1},
        {"int const A = 1, T = 2, B = 3;", "2", 2, 1},
        {"void f(void)\n{\n  const long T = 7;\n  if (T == 3) g();\n}", "7", 7, 3},
        {"struct s x = {.T = 3};\n#define T 9\n", "9", 9, 2},
        {"const char *p = 0; char c = '\"'; const int T = 5;", "5", 5, 1},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct tunable_place place = {0};
        struct error err = {0};
        bool found = false;
        const char *text = cases[i].text;

        check_ok(tunable_find("x.c", text, strlen(text), "T", 0, 0, &found, &place, &err),
                 &err);
        check(found);
        if (!found)
            continue;
        char *value = xstrndup(text + place.begin, place.end - place.begin);
        check_str(value, cases[i].value);
        check_eq(place.now, cases[i].now);
        check_eq(place.line, cases[i].line);
        free(value);
    }
}

TEST("what is no definition is said")
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"#define T(x) 3\n", "x.c:1: 'T' is a macro with arguments"},
        {"#define T\n", "a macro without a value"},
        {"#define T (U + 1)\n", "the value '(U + 1)' of 'T' is not a number"},
        {"#define T 1\n#define T 2\n", "defined twice, in lines 1 and 2"},
        {"enum { A = 1, T };", "an enumerator without a value"},
        {"int T = 3;", "a variable that is not const"},
    };
    struct tunable_place place = {0};
    bool found = true;
    struct error err = {0};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_fails(tunable_find("x.c", cases[i].text, strlen(cases[i].text), "T", 0, 0,
                                 &found, &place, &err),
                    &err, STATUS_INPUT, cases[i].part);
    check_ok(tunable_find("x.c", "int T2;", 7, "T", 0, 0, &found, &place, &err), &err);
    check(!found);
}

/* ---- plans ---- */

static const char blocked[] =
    "#include \"sizes.h\"\n"
    "#define T 4\n"
    "enum { U = 2 };\n"
    "#pragma inflight tunable T in 2:16:x2\n"
    "#pragma inflight tunable U in {1,2,3}\n"
    "#pragma inflight constraint T * U <= 16\n"
    "#pragma inflight set n = 100\n"
    "void f(int n, double a[restrict n], const double b[restrict n])\n"
    "{\n"
    "    const int K = 3;\n"
    "    for (int t = 0; t < n; t += T)\n"
    "        for (int i = t; i < (t + T < n ? t + T : n); i++)\n"
    "            for (int u = 0; u < U * 2; u++)\n"
    "                a[i] += b[i] * K * S;\n"
    "}\n";

static struct kernel *blocked_open(const char *const *words, const char *flag)
{
    char *header =
        fixture_file("sizes.h", "#ifndef S\n#define S 5\n#endif\n#define R 1\n");
    char *path = fixture_file("blocked.c", blocked);
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;
    struct error err = {0};

    for (; *words; words++)
        strvec_push(&request.words, *words);
    if (flag)
        strvec_push(&request.cflags, flag);
    check_ok(kernel_open(&request, &kernel, &err), &err);
    strvec_release(&request.words);
    strvec_release(&request.cflags);
    free(header);
    free(path);
    return kernel;
}

static int plan_on(struct kernel *kernel, const char *text, struct buf *out,
                   struct error *err)
{
    struct plan *plan = NULL;
    int status = plan_parse(text, &plan, err);

    if (!status)
        status = kernel_check(kernel, plan, NULL, err);
    if (!status)
        status = kernel_emit(kernel, plan, NULL, out, err);
    plan_free(plan);
    return status;
}

TEST("plans set constants")
{
    static const struct {
        const char *plan, *part;
    } cases[] = {
        {"set(T:8)", "#define T 8\n"},
        {"set(T:8,U:1)", "enum { U = 1 };\n"},
        {"set(K:-2)", "const int K = -2;\n"},
        {"set(S:7)", "#undef S\n#define S 7\n#include \"sizes.h\"\n"},
        {"set(T:16,U:1) unroll(i:2)", "t += 16"},
        {"set(U:1) interchange(u,i)", "for (int u = 0; u < 2; u++)"},
        {"set(T:4)", "#define T 4\n"},
    };
    static const char *const words[] = {"tunable K in {-2,3}", "tunable S in {5,7}",
                                        NULL};
    struct kernel *kernel = blocked_open(words, NULL);
    struct error err = {0};

    for (size_t i = 0; kernel && i < ARRAY_SIZE(cases); i++) {
        struct buf text = {0};

        check_ok(plan_on(kernel, cases[i].plan, &text, &err), &err);
        check_contains(buf_str(&text), cases[i].part);
        check_contains(buf_str(&text), "#pragma inflight");
        buf_release(&text);
    }
    kernel_free(kernel);
}

TEST("wrong settings are refused")
{
    static const struct {
        const char *plan, *part;
    } cases[] = {
        {"set(X:8)", "'X' in set is not a tunable; there are: T, U"},
        {"set(T:5)", "'T:5' in set: the tunable may be 2, 4, 8, 16"},
        {"set(T:16)", "violate the constraint 'T * U <= 16'"},
        {"set(T:8) set(T:2)", "'T' is set twice"},
    };
    static const char *const words[] = {NULL};
    struct kernel *kernel = blocked_open(words, NULL);
    struct error err = {0};
    struct buf text = {0};

    for (size_t i = 0; kernel && i < ARRAY_SIZE(cases); i++)
        check_fails(plan_on(kernel, cases[i].plan, &text, &err), &err, STATUS_USAGE,
                    cases[i].part);
    buf_release(&text);
    kernel_free(kernel);
}

TEST("flags give the value that is there")
{
    static const char *const words[] = {"tunable S in {6,7}", NULL};
    struct kernel *kernel = blocked_open(words, "-DS=9");
    struct error err = {0};
    struct buf text = {0};

    if (!kernel)
        return;
    struct kernel_view view = kernel_view(kernel);
    check_eq(view.tunable_nr, 3);
    check_str(view.tunable[2].name, "S");
    check_eq(view.tunable[2].now, 9);
    check_ok(plan_on(kernel, "set(S:6)", &text, &err), &err);
    check_contains(buf_str(&text), "#undef S\n#define S 6\n");
    buf_release(&text);
    kernel_free(kernel);
}

TEST("words about nothing are refused")
{
    static const struct {
        const char *word, *part;
    } cases[] = {
        {"tunable R in {1,2}", "make it '#ifndef R', '#define R 1', '#endif'"},
        {"tunable Q in {1,2}", "'Q' is defined neither in blocked.c nor in what it"},
        {"tunable n in {1,2}", "'n' is defined neither"},
        {"constraint T < Q", "'Q' is not known"},
    };

    kernel_free(blocked_open((const char *const[]){NULL}, NULL)); /* writes the file */
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *path = path_join(fixture_dir(), "blocked.c");
        struct kernel_request request = {.path = path};
        struct kernel *kernel = NULL;
        struct error err = {0};

        strvec_push(&request.words, cases[i].word);
        check_fails(kernel_open(&request, &kernel, &err), &err, STATUS_USAGE,
                    cases[i].part);
        strvec_release(&request.words);
        free(path);
    }
}

TEST("shared extents stay")
{
    static const char text[] = "#define T 4\n"
                               "static double part[T];\n"
                               "void f(int n, double *a)\n"
                               "{\n"
                               "    for (int i = 0; i < n; i++)\n"
                               "        part[i % T] += a[i];\n"
                               "}\n";
    char *path = fixture_file("shared.c", text);
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;
    struct error err = {0};
    struct buf out = {0};

    strvec_push(&request.words, "tunable T in {4,8}");
    if (check_ok(kernel_open(&request, &kernel, &err), &err))
        check_fails(plan_on(kernel, "set(T:8)", &out, &err), &err, STATUS_USAGE,
                    "a tunable determines the extent of 'part'");
    buf_release(&out);
    kernel_free(kernel);
    strvec_release(&request.words);
    free(path);
}

/* The variant works with another value, the reference with the file's: equal results. */
TEST("results are those of the file")
{
    static const char *const words[] = {NULL};
    static const char *const plans[] = {"set(T:16,U:1)", "set(T:2) tile(i:4)"};
    static const enum run_outcome want[] = {RUN_OUTCOME_WRONG_RESULT, RUN_OUTCOME_OK};
    const struct toolchain *toolchain;
    struct kernel *kernel = blocked_open(words, NULL);
    struct error err = {0};

    if (!fixture_toolchains(&toolchain) || !check_ok(kernel_bind(kernel, &err), &err)) {
        kernel_free(kernel);
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
        struct plan *plan = NULL;
        struct verify_report report = {0};
        struct verify_opts opts = {.scratch = fixture_dir()};
        char *program = NULL;

        check_ok(plan_parse(plans[i], &plan, &err), &err);
        if (check_ok(variant_build(kernel, plan, toolchain, VARIANT_VERIFY, fixture_dir(),
                                   &program, &err),
                     &err) &&
            check_ok(variant_verify(kernel, program, &opts, &report, &err), &err))
            check_eq(report.outcome, want[i]);
        verify_report_release(&report);
        plan_free(plan);
        free(program);
    }
    kernel_free(kernel);
}
