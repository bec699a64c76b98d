#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "variants/directives/pragma.h"
#include "variants/parse/parse.h"

SUITE(variants_pragma);

/* ---- expressions ---- */

static int lookup(void *data, const char *name, struct directive_number *out)
{
    (void)data;
    if (strcmp(name, "n") == 0)
        *out = directive_integer(100);
    else if (strcmp(name, "big") == 0)
        *out = directive_integer(4000000000LL);
    else if (strcmp(name, "s_2") == 0)
        *out = directive_real(0.5);
    else
        return -1;
    return 0;
}

TEST("expressions have values")
{
    static const struct {
        const char *expr;
        bool is_integer;
        double want;
    } cases[] = {
        {"4096", true, 4096},
        {" 2*n ", true, 200},
        {"2 + 3 * 4", true, 14},
        {"(2 + 3) * 4", true, 20},
        {"10 - 4 - 3", true, 3},
        {"n / 3", true, 33},
        {"n % 7 * 2", true, 4},
        {"-n / 3", true, -33},
        {"- -3", true, 3},
        {"n / 3.0", false, 100.0 / 3.0},
        {"1e3", false, 1000},
        {".5 + s_2", false, 1},
        {"2.5 % 2", false, 0.5},
        {"((((n))))", true, 100},
        {"2*n*n*n", true, 2e6},
        {"big * big * big", false, 6.4e28},
        {"9223372036854775807", true, 0x1p63},
        {"9223372036854775808", false, 0x1p63},
        {"9223372036854775807 + 1", false, 0x1p63},
        {"0", true, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct directive_number got = {.real = NAN};
        check_ok(directive_eval(cases[i].expr, lookup, NULL, &got, &err), &err);
        check_eq(got.is_integer, cases[i].is_integer);
        check_near(got.real, cases[i].want, 1e-15);
        if (got.is_integer && got.real < 0x1p53)
            check_eq(got.integer, (long long)cases[i].want);
        check_ok(directive_check(cases[i].expr, &err), &err);
    }
}

TEST("bad expressions are refused")
{
    static const struct {
        const char *expr, *part;
        bool form;
    } cases[] = {
        {"", "a value is missing", true},
        {"2 *", "ends too early", true},
        {"(2", "')' is missing", true},
        {"2)", "')' is left over", true},
        {"2 3", "'3' is left over", true},
        {"n ^ 2", "'^ 2' is left over", true},
        {"*2", "expected", true},
        {"4q", "followed by letters", true},
        {"4kB", "followed by letters", true},
        {"0x10", "followed by letters", true},
        {"1.2.3", "followed by letters", true},
        {"1e999", "too large", true},
        {"m + 1", "'m' is not known", false},
        {"n / 0", "division by zero", false},
        {"n % (n - 100)", "division by zero", false},
        {"1 / 0.0", "division by zero", false},
        {"1e300 * 1e300", "too large", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct directive_number got;
        check_fails(directive_eval(cases[i].expr, lookup, NULL, &got, &err), &err,
                    STATUS_INPUT, cases[i].part);
        check_eq(directive_check(cases[i].expr, NULL), cases[i].form ? -1 : 0);
    }
}

TEST("deep expressions are refused")
{
    struct error err = {0};
    struct directive_number got;
    struct buf deep = {0};
    buf_add_repeat(&deep, '(', 100000);
    check_fails(directive_eval(buf_str(&deep), NULL, NULL, &got, &err), &err,
                STATUS_INPUT, "too many parentheses");
    buf_release(&deep);
}

TEST("sizes are integers")
{
    struct error err = {0};
    long long size = 0;
    check_ok(directive_eval_integer("n * 4", lookup, NULL, &size, &err), &err);
    check_eq(size, 400);
    check_fails(directive_eval_integer("n * 0.003", lookup, NULL, &size, &err), &err,
                STATUS_INPUT, "is not a whole number");
}

TEST("sizes are written as people do")
{
    static const struct {
        const char *expr;
        long long size;
    } cases[] = {
        {"1e6", 1000000},       {"1.5e3", 1500},       {"64k", 65536},
        {"64K", 65536},         {"2M", 2097152},       {"1.5M", 1572864},
        {"3Gi", 3221225472},    {"1T", 1099511627776}, {"64k / 3", 21845},
        {"2 * (1k + 1)", 2050}, {"n * 0.5", 50},       {"4Ki * n", 409600},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        long long size = 0;
        check_ok(directive_eval_integer(cases[i].expr, lookup, NULL, &size, &err), &err);
        check_eq(size, cases[i].size);
    }
    struct error err = {0};
    long long size = 0;
    check_fails(directive_eval_integer("1e17", lookup, NULL, &size, &err), &err,
                STATUS_INPUT, "not a whole number of 64 bits that is exact");
}

/* ---- contents ---- */

TEST("contents are split")
{
    static const struct {
        const char *contents, *name, *args; /* joined by '|'; NULL = refused */
    } cases[] = {
        {"zero", "zero", ""},
        {"uniform(-1, 1)", "uniform", "-1|1"},
        {" index( 2*(n + 1) ) ", "index", "2*(n + 1)"},
        {"file(data/x.bin)", "file", "data/x.bin"},
        {"f(a(b,c),d)", "f", "a(b,c)|d"},
        {"", NULL, NULL},
        {"4", NULL, NULL},
        {"zero()", NULL, NULL},
        {"uniform(1,", NULL, NULL},
        {"uniform(1", NULL, NULL},
        {"uniform(1) x", NULL, NULL},
        {"a b", NULL, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct strvec args = {0};
        struct buf joined = {0};
        char *name = NULL;
        int result = directive_call(cases[i].contents, &name, &args, &err);
        check_eq(result, cases[i].name ? 0 : -1);
        for (size_t j = 0; j < args.nr; j++)
            buf_addf(&joined, "%s%s", j ? "|" : "", args.v[j]);
        if (cases[i].name && result == 0) {
            check_str(name, cases[i].name);
            check_str(buf_str(&joined), cases[i].args);
        }
        free(name);
        buf_release(&joined);
        strvec_release(&args);
    }
}

/* ---- words ---- */

static const char head[] = "static double g[8];\n"
                           "void f(int n, double s, double A[n][n], double *b)\n{\n"
                           "    for (int i = 0; i < n; i++)\n"
                           "        for (int j = 0; j < n; j++)\n"
                           "            A[i][j] += s * b[j] * g[0];\n}\n";

/* Reads `pragmas`, put before the function, and `command`. Caller releases the words. */
static int read_words(const char *pragmas, const char *command,
                      struct kernel_directives *words, struct error *err)
{
    struct ir_function *function = NULL;
    struct strvec list = {0};
    char *dir = NULL;
    if (!check_ok(scratch_make(&dir, err), err))
        return -1;
    char *path = path_join(dir, "f.c"), *text = xasprintf("%s%s", pragmas, head);
    if (command)
        strvec_push(&list, command);
    check_ok(file_write(path, text, strlen(text), err), err);
    check_ok(ir_parse(path, NULL, 0, NULL, NULL, &function, err), err);
    int result = function ? kernel_directives_read(function, &list, words, err) : -1;
    ir_function_free(function);
    strvec_release(&list);
    free(text);
    free(path);
    scratch_remove(dir);
    return result;
}

TEST("words are read")
{
    struct error err = {0};
    struct kernel_directives words = {0};
    check_ok(read_words("#pragma inflight kernel\n"
                        "#pragma inflight set n=4096 // size\n"
                        "#pragma inflight set s = 1.5\n"
                        "#pragma inflight buffer A = uniform(-1, 1)\n"
                        "#pragma inflight buffer b length 2 * n\n"
                        "#pragma inflight buffer b = index(n)\n"
                        "#pragma inflight assume independent(i, j) noalias(A, b), "
                        "associative\n"
                        "#pragma inflight flops 3 * n \\\n   * n\n",
                        "set n = 64", &words, &err),
             &err);
    check_str(kernel_directives_find(&words, DIRECTIVE_SET, "n")->text, "64");
    check_eq(kernel_directives_find(&words, DIRECTIVE_SET, "n")->line, 0);
    check_str(kernel_directives_find(&words, DIRECTIVE_SET, "s")->text, "1.5");
    check_str(kernel_directives_find(&words, DIRECTIVE_BUFFER, "A")->text,
              "uniform(-1, 1)");
    check_str(kernel_directives_find(&words, DIRECTIVE_BUFFER, "b")->text, "index(n)");
    check_str(kernel_directives_find(&words, WORD_LENGTH, "b")->text, "2 * n");
    check_str(kernel_directives_find(&words, DIRECTIVE_FLOPS, NULL)->text,
              "3 * n    * n");
    check_contains(kernel_directives_find(&words, WORD_LENGTH, "b")->where, "f.c:5");
    check(kernel_directives_find(&words, DIRECTIVE_INDEPENDENT, "j") != NULL);
    check(kernel_directives_find(&words, DIRECTIVE_INDEPENDENT, "k") == NULL);
    check(kernel_directives_find(&words, DIRECTIVE_ASSOCIATIVE, NULL) != NULL);
    check(kernel_directives_find(&words, DIRECTIVE_KERNEL, NULL) != NULL);
    check_eq(words.item_nr, 10);
    kernel_directives_release(&words);
}

TEST("bad words are refused")
{
    static const char *const cases[][2] = {
        {"", "'' is no word of inflight; known are kernel, set, buffer, assume, flops"},
        {"sset n = 4", "'sset' is no word of inflight"},
        {"= 4", "'= 4' is no word of inflight"},
        {"kernel f", "'f' is left over"},
        {"set n", "expected 'set NAME = VALUE'"},
        {"set = 4", "expected 'set NAME = VALUE'"},
        {"set n = ", "a value is missing"},
        {"set n = 4 4", "'4' is left over"},
        {"set m = 4", "'m' is no scalar parameter of 'f'; there are: n, s"},
        {"set A = 4", "'A' is no scalar parameter"},
        {"set i = 4", "'i' is no scalar parameter"},
        {"buffer A",
         "expected 'buffer NAME = CONTENTS' or 'buffer NAME length ELEMENTS'"},
        {"buffer A size 4", "expected 'buffer NAME = CONTENTS'"},
        {"buffer A length", "a value is missing"},
        {"buffer A = ", "not a buffer's contents"},
        {"buffer A = uniform(1", "not a buffer's contents"},
        {"buffer n = zero", "'n' is no array of 'f'; there are: A, b, g"},
        {"assume", "is no assumption; known are independent, noalias, associative"},
        {"assume parallel(i)", "'parallel' is no assumption"},
        {"assume independent", "expected 'independent(LOOP)'"},
        {"assume independent(i", "expected 'independent(LOOP)'"},
        {"assume independent(k)", "no loop of 'f' counts 'k'; there are: i, j"},
        {"buffer A = random", "there are no contents 'random'; known are uniform"},
        {"buffer A = indx(n)", "there are no contents 'indx(n)'; did you mean 'index'?"},
        {"set n = 4, s", "expected 'set NAME = VALUE'"},
        {"st n = 4", "'st' is no word of inflight; did you mean 'set'?"},
        {"assume noalias(A)", "expected 'noalias(ARRAY, ARRAY)'"},
        {"assume noalias(A, n)", "'n' is no array"},
        {"assume associative 3", "'3' is no assumption"},
        {"flops", "a value is missing"},
        {"flops 2 * (n", "')' is missing"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct kernel_directives words = {0};
        char *pragma = xasprintf("#pragma inflight %s\n", cases[i][0]);
        check_fails(read_words(pragma, NULL, &words, &err), &err, STATUS_INPUT,
                    cases[i][1]);
        kernel_directives_release(&words);
        check_fails(read_words("", cases[i][0], &words, &err), &err, STATUS_USAGE,
                    "' on the command line: ");
        kernel_directives_release(&words);
        free(pragma);
    }
}

TEST("a second value is refused")
{
    static const char *const cases[][2] = {
        {"set n = 1", "f.c:2: 'n' is given a second time; the first is in line 1"},
        {"buffer b = zero", "'b' is given a second time"},
        {"buffer b length 3", "'b' is given a second time"},
        {"flops 3", "'flops' is given a second time"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct kernel_directives words = {0};
        char *twice = xasprintf("#pragma inflight %s\n#pragma inflight %s\n", cases[i][0],
                                cases[i][0]);
        check_fails(read_words(twice, NULL, &words, &err), &err, STATUS_INPUT,
                    cases[i][1]);
        kernel_directives_release(&words);
        free(twice);
    }
}
