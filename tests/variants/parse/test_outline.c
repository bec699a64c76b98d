#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/cases.h"
#include "tests/check.h"
#include "variants/kernel/kernel_outline.h"

SUITE(variants_outline);

#define CASES     INFLIGHT_SOURCE_DIR "/tests/data/parse/outline.cases"
#define CXX_CASES INFLIGHT_SOURCE_DIR "/tests/data/parse/outline_cxx.cases"

/* The line that says "take"; 0 = none does. */
static int marked_line(const char *text)
{
    const char *at = strstr(text, "take");
    int line = at != NULL;
    for (; at && text < at; text++)
        line += *text == '\n';
    return line;
}

/* Whether the model reads the loop or not. */
static int take_innermost(const struct outline_request *request, struct buf *out,
                          struct outlined *what, struct error *err)
{
    struct outliner *outliner;
    if (outliner_open(request, &outliner, err))
        return -1;
    int status = outliner_take(outliner, outliner_loops(outliner) - 1, out, what, err);
    outliner_close(outliner);
    return status;
}

static int outline_text(const char *path, const char *text, bool read, struct buf *out,
                        struct outlined *what, struct error *err)
{
    struct strvec none = {0};
    const struct outline_request request = {
        .path = path, .text = text, .line = marked_line(text), .cflags = &none};
    return read ? source_outline(&request, out, what, err)
                : take_innermost(&request, out, what, err);
}

/* Part "new": what the file becomes; part "error": why it does not. */
TEST("loops become functions, or the reason is said")
{
    struct cases cases;
    if (!cases_read(CASES, 30, &cases))
        return;
    for (size_t i = 0; i < cases.nr; i++) {
        struct test_case *one = &cases.v[i];
        struct buf out = {0};
        struct outlined what = {0};
        struct error err = {0};
        const char *path = strstr(one->name, "C++") ? "k.cpp" : "k.c";
        int status = outline_text(path, one->text, !strstr(one->name, "OpenMP:"), &out,
                                  &what, &err);
        check(!what.unread == !strstr(one->name, "not read"));
        check_eq(what.is_read, !status && !strstr(one->name, "OpenMP:") &&
                                   !strstr(one->name, "not read as a whole"));
        check_case(&cases, one, case_part(one, "new") ? "new" : "error",
                   status ? err.text : buf_str(&out));
        buf_release(&out);
        outlined_release(&what);
    }
    cases_release(&cases);
}

TEST("of C++, accessors become arrays and numbers, or the reason is said")
{
    struct cases cases;
    if (!cases_read(CXX_CASES, 30, &cases))
        return;
    const char *prelude = cases.v[0].text;
    for (size_t i = 1; i < cases.nr; i++) {
        struct test_case *one = &cases.v[i];
        struct buf out = {0};
        struct outlined what = {0};
        struct error err = {0};
        char *text = xasprintf("%s%s", prelude, one->text);
        int status = outline_text("k.cpp", text, true, &out, &what, &err);
        check(!what.unread == !strstr(one->name, "not read"));
        check_case(&cases, one, case_part(one, "new") ? "new" : "error",
                   status ? err.text : buf_str(&out) + strlen(prelude));
        check(status || text_begins(buf_str(&out), prelude));
        buf_release(&out);
        outlined_release(&what);
        free(text);
    }
    cases_release(&cases);
}

TEST("why a loop is not read names the line of the file")
{
    static const char text[] = "void other(double *a);\n"
                               "void f(int n, double *a, double *b)\n"
                               "{\n"
                               "    a[0] = 1;\n"
                               "    for (int i = 0; i < n; i++) { // take\n"
                               "        b[i] = 1;\n"
                               "        other(a);\n"
                               "    }\n"
                               "}\n";
    struct buf out = {0};
    struct outlined what = {0};
    struct error err = {0};
    check_ok(outline_text("k.c", text, true, &out, &what, &err), &err);
    check_contains(what.unread, "line 7: 'other' may change memory");
    buf_release(&out);
    outlined_release(&what);
}

static const char two[] = "double f(int n, double *a)\n"
                          "{\n"
                          "    double sum = 0, top = 1;\n"
                          "    for (int i = 0; i < n; i++) { // take\n"
                          "        sum += a[i];\n"
                          "        top *= a[i];\n"
                          "    }\n"
                          "    return sum - top;\n"
                          "}\n";

TEST("what was done is told")
{
    struct buf out = {0};
    struct outlined what = {0};
    struct error err = {0};
    if (check_ok(outline_text("k.c", two, true, &out, &what, &err), &err)) {
        check_str(what.function, "f_loop_4");
        check_str(what.from, "f");
        check_eq(what.first_line, 4);
        check_eq(what.last_line, 7);
        check_eq(what.line, 1);
        check_eq(what.result.nr, 2);
        check_eq(what.parameter.nr, 4);
        check_str(what.parameter.v[3], "double *top_out");
    }
    buf_release(&out);
    outlined_release(&what);
}

TEST("the loop that a function is called in is found")
{
    static const char apart[] = "static double apart(const double *p, int n)\n{\n"
                                "    double sum = 0;\n    for (int i = 0; i < n; i++)\n"
                                "        sum += p[i];\n    return sum;\n}\n",
                      once[] = "double once(int n, double *a) { return apart(a, n); }\n",
                      in_loop[] = "void %s(int n, double *a)\n{\n"
                                  "    for (int i = 0; i < n; i++)\n"
                                  "        a[i] = apart(a + i, n);\n}\n",
                      nest[] = "static double apart(const double *p, int n)\n{\n"
                               "    double sum = 0;\n    for (int i = 0; i < n; i++)\n"
                               "        for (int j = 0; j < n; j++)\n"
                               "            sum += p[j];\n    return sum;\n}\n";
    static const struct {
        const char *function, *caller[2], *want;
        int line;
    } cases[] = {{apart, {"rows", NULL}, "rows", 12},
                 {apart, {NULL, NULL}, NULL, 0},
                 {apart, {"rows", "others"}, NULL, 0},
                 {nest, {"rows", NULL}, NULL, 0}};
    struct error err = {0};
    char *dir = NULL;

    check_ok(scratch_make(&dir, &err), &err);
    char *path = path_join(dir, "k.c");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct strvec none = {0};
        struct buf text = {0};
        const struct outline_request request = {
            .path = path, .function = "apart", .cflags = &none};
        int line = -1;

        buf_addf(&text, "%s%s", cases[i].function, once);
        for (size_t k = 0; k < 2 && cases[i].caller[k]; k++)
            buf_addf(&text, in_loop, cases[i].caller[k]);
        check_ok(file_write(path, buf_str(&text), text.length, &err), &err);
        char *caller = source_caller(&request, &line);
        check_eq(line, cases[i].line);
        if (check((caller != NULL) == (cases[i].want != NULL)) && caller)
            check_str(caller, cases[i].want);
        free(caller);
        buf_release(&text);
    }
    free(path);
    scratch_remove(dir);
}

TEST("a statement stands in front of what the function does")
{
    static const struct {
        const char *path, *text, *want; /* NULL = it is refused */
    } cases[] = {
        {"k.c", "#include <math.h>\nstatic double f(int n)\n{\n    return n;\n}\n",
         "<#include <math.h>\nstatic double f(int n)\n{>\n    return n;\n}\n"},
        {"k.c",
         "int g(void) { return 1; } int f(a) int a; { int b = 2; return a + b; }\n",
         "<int g(void) { return 1; } int f(a) int a; {> int b = 2; return a + b; }\n"},
        {"k.cpp", "struct s { int n; int f() const { return n; } };\n",
         "<struct s { int n; int f() const {> return n; } };\n"},
        {"k.c", "#define BEGIN {\nint f(int n)\nBEGIN\n    return n;\n}\n", NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf out = {0};
        struct error err = {0};
        struct strvec none = {0};
        const struct outline_request request = {.path = cases[i].path,
                                                .text = cases[i].text,
                                                .function = "f",
                                                .cflags = &none};
        int status = outline_statement(&request, "<", ">", &out, &err);
        if (cases[i].want && check_ok(status, &err))
            check_str(buf_str(&out), cases[i].want);
        if (!cases[i].want)
            check_contains(err.text, "a macro begins the body of 'f'");
        buf_release(&out);
    }
}
