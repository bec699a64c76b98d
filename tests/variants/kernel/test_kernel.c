#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_view.h"
#include "variants/plan/plan.h"

SUITE(variants_kernel);

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/harness/"

static char *args_text(const struct kernel *kernel)
{
    struct strvec args = {0};
    struct buf text = {0};

    variant_args(kernel, &args);
    for (size_t i = 0; i < args.nr; i++)
        buf_addf(&text, "%s%s", i ? " " : "", args.v[i]);
    strvec_release(&args);
    return buf_detach(&text);
}

static void check_args(const struct kernel *kernel, const char *want)
{
    char *text = args_text(kernel);

    check_str(text, want);
    free(text);
}

/* ---- sizes, extents, contents ---- */

TEST("sizes and contents become arguments")
{
    static const struct {
        const char *file, *args;
    } cases[] = {
        {"plain", "--set n=5000 --set s=1.5 --buffer b=5000:uniform(0.5,1.5) --buffer "
                  "a=5000:uniform(0.5,1.5)"},
        {"vla",
         "--set n=90 --set m=70 --buffer y=90:zero --buffer A=6300:uniform(0.5,1.5) "
         "--buffer x=70:uniform(0.5,1.5)"},
        {"sparse", "--set rows=200 --set cols=300 --set nnz=1600 --buffer "
                   "start=201:offsets(8) --buffer val=1600:uniform(0.5,1.5) --buffer "
                   "x=300:uniform(0.5,1.5) --buffer col=1600:index(300) --buffer "
                   "y=200:uniform(0.5,1.5)"},
        {"integers", "--set n=1000 --buffer w=1000:uniform(0,9) --buffer "
                     "k=1000:permutation --buffer b=1000:uniform(-100,100) --buffer "
                     "odd=1000:uniform(0,1)"},
        {"globals", "--set n=400 --set shift=3 --buffer result=400:uniform(0.5,1.5) "
                    "--buffer table=400:uniform(0.5,1.5)"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct kernel *kernel = fixture_bound(cases[i].file, NULL);
        struct strvec got = {0}, want = {0};
        char *text;

        if (!kernel)
            continue;
        text = args_text(kernel);
        strvec_split(&got, text);
        strvec_split(&want, cases[i].args);
        check_eq(got.nr, want.nr);
        for (size_t k = 0; k < want.nr; k++) /* arrays stand in the model's order */
            check_contains(text, want.v[k]);
        strvec_release(&got);
        strvec_release(&want);
        free(text);
        kernel_free(kernel);
    }
}

TEST("the command line overrides")
{
    static const char *const words[] = {"set n = 2 * 50", "set s = 0.25",
                                        "buffer a = iota", "buffer b length n + 1", NULL};
    struct kernel *kernel = fixture_bound("plain", words);
    char *text;

    if (!kernel)
        return;
    text = args_text(kernel);
    check_contains(text, "--set n=100 --set s=0.25");
    check_contains(text, "--buffer a=100:iota");
    check_contains(text, "--buffer b=101:uniform(0.5,1.5)");
    free(text);
    kernel_free(kernel);
}

/* What nobody says of a kernel, with the values for a first try of 64 MiB, joined. */
static char *proposed_text(const char *source)
{
    char *path = fixture_file("proposed.c", source);
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;
    struct strvec words = {0};
    struct error err = {0};

    if (check_ok(kernel_open(&request, &kernel, &err), &err)) {
        kernel_unsaid(kernel, false, &words);
        kernel_free(kernel);
        request.words = words;
        if (check_ok(kernel_open(&request, &kernel, &err), &err))
            kernel_propose(kernel, 64 << 20, &words, &err);
    }
    kernel_free(kernel);
    char *text = strvec_join(&words, "; ");
    strvec_release(&words);
    free(path);
    return text;
}

TEST("values for a first try")
{
    static const struct {
        const char *source, *want;
    } cases[] = {
        {"void f(int n, int m, double *a)\n{\n"
         "    for (int i = 0; i < n; i++)\n"
         "        for (int j = 0; j < m; j++)\n"
         "            a[i * m + j] *= 2;\n}\n",
         "set n=2900; set m=2900"},
        {"#pragma inflight set m = 100\n"
         "void f(int n, int m, double *a)\n{\n"
         "    for (int i = 0; i < n; i++)\n"
         "        for (int j = 0; j < m; j++)\n"
         "            a[i * m + j] *= 2;\n}\n",
         "set n=84000"},
        {"void f(int n, int steps, double *a)\n{\n"
         "    for (int t = 0; t < steps; t++)\n"
         "        for (int i = 0; i < n; i++)\n"
         "            a[i] *= 2;\n}\n",
         "set n=8400000; set steps=10"},
        {"void f(int low, int high, unsigned char flag, double *a)\n{\n"
         "    for (int i = low; i < high; i++)\n"
         "        a[i] += flag;\n}\n",
         "set low=10; set high=8400000; set flag=1"},
        {"void f(int n, int m, const int *key, const double *t, double *restrict y)\n{\n"
         "    for (int i = 0; i < n; i++)\n"
         "        y[i] = t[key[i]];\n}\n",
         "set n=3400000; set m=3400000; buffer key = index(m)"},
        /* no call of minutes */
        {"void f(int n, double *a, const double *restrict b)\n{\n"
         "    for (int i = 0; i < n; i++)\n"
         "        for (int j = 0; j < n; j++)\n"
         "            for (int k = 0; k < n; k++)\n"
         "                a[i * n + j] += b[k * n + j];\n}\n",
         "set n=1000"},
        /* arrays of the file are not left */
        {"double a[500][500];\nvoid f(int n)\n{\n"
         "    for (int i = 0; i < n; i++)\n"
         "        for (int j = 0; j < n; j++)\n"
         "            a[i][j] = 1;\n}\n",
         "set n=500"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *text = proposed_text(cases[i].source);

        check_str(text, cases[i].want);
        free(text);
    }
}

TEST("another size moves extents and contents")
{
    struct kernel *kernel = fixture_bound("sparse", NULL);
    struct error err = {0};
    char *text;

    if (!kernel)
        return;
    check_ok(kernel_set(kernel, "rows", 5, &err), &err);
    check_ok(kernel_set(kernel, "cols", 9, &err), &err);
    text = args_text(kernel);
    check_contains(text, "--set rows=5 --set cols=9 --set nnz=40");
    check_contains(text, "start=6:offsets(8)");
    check_contains(text, "col=40:index(9)");
    check_contains(text, "y=5:");
    free(text);
    check_fails(kernel_set(kernel, "weight", 5, &err), &err, STATUS_USAGE,
                "'spmv' has no integer parameter 'weight'");
    kernel_free(kernel);
}

TEST("the view shows what is bound")
{
    struct kernel *kernel = fixture_bound("vla", NULL);
    struct kernel_view view;
    double bytes = 0;

    if (!kernel)
        return;
    view = kernel_view(kernel);
    check_eq(view.param_nr, 2);
    check_str(view.param[0].name, "n");
    check(view.param[0].is_set && view.param[0].is_integer);
    check_near(view.param[1].value, 70, 0);
    check_eq(view.array_nr, 3);
    for (size_t i = 0; i < view.array_nr; i++) {
        bytes += view.array[i].bytes;
        check(view.array[i].is_float && view.array[i].element_bytes == 4);
        check_eq(view.array[i].written, strcmp(view.array[i].name, "y") == 0);
        check(view.array[i].contents != NULL);
        if (strcmp(view.array[i].name, "A") == 0)
            check_str(view.array[i].extent_text, "n x m");
    }
    check_near(bytes, 4 * (90 * 70 + 70 + 90), 0);
    check_near(kernel_counts(kernel).footprint_bytes, bytes, 0);
    check_str(kernel_name(kernel), "product");
    kernel_free(kernel);
}

/* ---- what is missing is named, with the line to add ---- */

TEST("missing words are named")
{
    static const struct {
        const char *file, *word, *want;
    } cases[] = {
        {"unknown_size", NULL,
         DATA
         "unknown_size.c:1: the value of 'n' is not known; add `#pragma inflight set n "
         "= 1000` or --set 'n=1000' with a value that fits"},
        {"unset_global", NULL,
         DATA
         "unset_global.c:2: the length of 'a' cannot be derived: the value of 'length' "
         "is not known (--set 'length=1000')"},
        {"subscript", NULL,
         DATA
         "subscript.c:3: the numbers in 'key' decide which elements are used and are "
         "not known; add `#pragma inflight buffer key = index(m)`"},
        {"subscript_later", NULL, "add `#pragma inflight buffer key = index(m)`"},
        {"sparse", "buffer y length rows / 0", "by zero"},
        {"plain", "set n = m", "'m' is not known"},
        {"plain", "set n = n + 1", "'n' is not known"},
        {"plain", "set n = 1.5", "not a whole number"},
        {"plain", "set n = 3000000000", "n = 3000000000 does not fit into 'int'"},
        {"integers", "set n = -1", "n = -1 does not fit into"},
        {"integers", "set n = 100000",
         "the contents 'permutation' of 'k' reach 99999, which does not fit into"},
        {"plain", "buffer b length 0 - 4", "a length of -4 elements"},
        {"plain", "buffer a = uniform(1)", "expected uniform(LOW, HIGH)"},
        {"plain", "buffer a = uniform(2, 1)", "the range is empty"},
        {"plain", "buffer a = cycle(1)", "is for arrays of integers"},
        {"integers", "buffer k = index(0)", "0 is below 1"},
        {"integers", "buffer k = index(q)", "'q' is not known"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *const words[] = {cases[i].word, NULL};
        struct kernel *kernel = fixture_open(cases[i].file, words);
        struct error err = {0};

        /* that sizes and contents do not go together is no fault of one word */
        bool of_word = cases[i].word && strncmp(cases[i].want, "the contents", 12) != 0;

        if (kernel)
            check_fails(kernel_bind(kernel, &err), &err,
                        of_word ? STATUS_USAGE : STATUS_INPUT, cases[i].want);
        kernel_free(kernel);
    }
}

TEST("an unknown extent is named")
{
    static const char *const words[] = {"buffer a length n + 1", NULL};
    struct kernel *kernel = fixture_open("unknown_extent", NULL);
    struct error err = {0};

    if (kernel)
        check_fails(kernel_bind(kernel, &err), &err, STATUS_INPUT,
                    "#pragma inflight buffer a length");
    kernel_free(kernel);
    kernel = fixture_bound("unknown_extent", words);
    if (kernel)
        check_args(kernel, "--set n=100 --buffer a=101:uniform(0.5,1.5)");
    kernel_free(kernel);
}

TEST("too much memory is refused")
{
    static const char *const words[] = {"set n = 2000000000", "buffer a length 1000 * n",
                                        NULL};
    struct kernel *kernel = fixture_open("plain", words);
    struct error err = {0};

    if (kernel)
        check_fails(kernel_bind(kernel, &err), &err, STATUS_MISSING,
                    "set sizes smaller than --set 'n=2000000000'");
    kernel_free(kernel);
}

TEST("what cannot be supplied is refused")
{
    char *path = fixture_data("pointers.c");
    struct kernel_request request = {.path = path};
    struct kernel *kernel;
    struct error err = {0};

    if (check_ok(kernel_open(&request, &kernel, &err), &err)) {
        check_eq(kernel_view(kernel).loop_nr, 1);
        check_fails(kernel_bind(kernel, &err), &err, STATUS_INPUT,
                    "pointers.c:2: parameter 'a' of type 'double **' cannot be supplied; "
                    "the function changes the pointers to its rows");
    }
    kernel_free(kernel);
    free(path);
    path = fixture_data("ends.c");
    request.path = path;
    if (check_ok(kernel_open(&request, &kernel, &err), &err))
        check_fails(kernel_bind(kernel, &err), &err, STATUS_INPUT,
                    "ends.c:4: the loop ends by comparing 'e' and 'p', which lie in one "
                    "array only in the program");
    kernel_free(kernel);
    free(path);
    path = fixture_data("rounds.c");
    request = (struct kernel_request){.path = path, .function = "main"};
    if (check_ok(kernel_open(&request, &kernel, &err), &err))
        check_fails(kernel_bind(kernel, &err), &err, STATUS_INPUT,
                    "'main' is the program itself and cannot be called again");
    kernel_free(kernel);
    free(path);
}

/* ---- identity, text ---- */

TEST("the hash is of everything that matters")
{
    static const char *const words[] = {"set n = 7", NULL};
    struct kernel *a = fixture_open("plain", NULL), *b = fixture_open("plain", NULL);
    struct kernel *c = fixture_open("plain", words), *d = fixture_open("vla", NULL);

    if (a && b && c && d) {
        check_eq(strlen(kernel_hash(a)), 32);
        check_str(kernel_hash(a), kernel_hash(b));
        check(strcmp(kernel_hash(a), kernel_hash(c)) != 0);
        check(strcmp(kernel_hash(a), kernel_hash(d)) != 0);
    }
    kernel_free(a);
    kernel_free(b);
    kernel_free(c);
    kernel_free(d);
}

TEST("the comment cannot end early")
{
    struct kernel *kernel = fixture_open("plain", NULL);
    struct plan *plan = NULL;
    struct buf out = {0};
    struct error err = {0};

    if (kernel && check_ok(plan_parse("", &plan, &err), &err) &&
        check_ok(kernel_emit(kernel, plan, "made by */ x\nline 2\n", &out, &err), &err))
        check_contains(buf_str(&out), "/*\n * made by * / x\n * line 2\n */\n");
    check_contains(buf_str(&out), "#pragma inflight");
    buf_release(&out);
    plan_free(plan);
    kernel_free(kernel);
}

/* As an editor on Windows writes it. */
TEST("files keep their mark and line ends")
{
    static const char source[] =
        "\xef\xbb\xbf/* Zeilen */\r\nvoid f(int n, double a[n][n])\r\n{\r\n"
        "\tfor (int i = 0; i < n; i++)\r\n\t\tfor (int j = 0; j < n; j++)\r\n"
        "\t\t\ta[i][j] = 0;\r\n}\r\n";
    struct kernel_request request = {0};
    struct kernel *kernel = NULL;
    struct plan *plan = NULL;
    struct buf out = {0};
    struct error err = {0};
    char *dir, *path;

    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    request.path = path = path_join(dir, "marked.c");
    if (check_ok(file_write(path, source, sizeof(source) - 1, &err), &err) &&
        check_ok(kernel_open(&request, &kernel, &err), &err) &&
        check_ok(plan_parse("tile(i:8,j:8)", &plan, &err), &err) &&
        check_ok(kernel_emit(kernel, plan, "made\nby us\n", &out, &err), &err)) {
        const char *text = buf_str(&out);
        check(
            !strncmp(text, "\xef\xbb\xbf/*\r\n * made\r\n * by us\r\n */\r\nstatic", 35));
        check(strstr(text + 3, "\xef\xbb\xbf") == NULL);
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            check_eq(at[-1], '\r');
    }
    buf_release(&out);
    plan_free(plan);
    kernel_free(kernel);
    free(path);
    scratch_remove(dir);
}

/* ---- fewer rounds ---- */

static struct kernel *rounds_of(const char *function, const char *word)
{
    struct kernel_request request = {.path = DATA "rounds.c", .function = function};
    struct kernel *kernel = NULL;
    struct error err = {0};

    if (word)
        strvec_push(&request.words, word);
    check_ok(kernel_open(&request, &kernel, &err) || kernel_bind(kernel, &err), &err);
    strvec_release(&request.words);
    return kernel;
}

TEST("loops that only repeat go round less often")
{
    static const struct {
        const char *function, *word;
        double share, left;
        const char *args; /* part of them */
    } cases[] = {
        {"rounds", NULL, 0.5, 0.5, "--set steps=200 --set n=5000"},
        {"rounds", NULL, 0.01, 0.08, "--set steps=32 --set n=5000"},
        {"rounds", NULL, 1, 1, "--set steps=400 --set n=5000"},
        {"rounds", "set steps = 400", 0.5, 1, "--set steps=400 --set n=5000"},
        {"traced", NULL, 0.5, 0.5, "--set steps=200 --set n=50000"},
        {"rows", NULL, 0.5, 1, "--set rows=400 --set columns=500"},
        {"wedge", NULL, 0.5, 1, "--set steps=400 --set n=5000"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct kernel *kernel = rounds_of(cases[i].function, cases[i].word);

        if (!kernel)
            continue;
        check_near(kernel_shorten(kernel, cases[i].share), cases[i].left, 1e-12);
        char *text = args_text(kernel);
        check_contains(text, cases[i].args);
        free(text);
        kernel_free(kernel);
    }
}

TEST("fewer rounds are told")
{
    struct kernel *kernel = rounds_of("rounds", NULL);

    check_near(kernel_shorten(kernel, 0.25), 0.25, 1e-12);
    check_str(kernel_inputs_note(kernel),
              "steps and n as main calls it in line 43, but steps = 100 instead of 400, "
              "since each round goes over the same elements");
    kernel_free(kernel);
}
