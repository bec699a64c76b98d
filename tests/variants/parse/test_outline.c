#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
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
    const struct outline_request request = {.path = path,
                                            .text = text,
                                            .line = marked_line(text),
                                            .cflags = &none,
                                            .attribute = OUTLINE_GCC};
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

TEST("the attribute is added and taken away again")
{
    static const char *const function[] = {NULL, "f"};
    for (size_t i = 0; i < ARRAY_SIZE(function); i++) {
        struct buf out = {0}, plain = {0};
        struct outlined what = {0};
        struct error err = {0};
        struct strvec none = {0};
        const struct outline_request request = {.path = "k.c",
                                                .text = two,
                                                .line = function[i] ? 0 : 4,
                                                .function = function[i],
                                                .cflags = &none,
                                                .attribute = OUTLINE_CLANG};
        int status = function[i] ? outline_attribute(&request, &out, &what, &err)
                                 : source_outline(&request, &out, &what, &err);
        if (check_ok(status, &err) &&
            check(strstr(buf_str(&out), "__attribute__((noinline, used)) ") != NULL) &&
            check_ok(source_without_attribute(buf_str(&out), &what, &plain, &err), &err))
            check(!strstr(buf_str(&plain), "__attribute__"));
        if (function[i])
            check_str(buf_str(&plain), two);
        buf_release(&out);
        buf_release(&plain);
        outlined_release(&what);
    }
}

TEST("an attribute that is not there is not taken away")
{
    char name[] = "f", attribute[] = "__attribute__((noipa)) ", behind[] = "void f(";
    const struct outlined what = {
        .function = name, .attribute = attribute, .behind = behind};
    struct buf out = {0};
    struct error err = {0};
    check_eq(source_without_attribute("void f(void)\n{\n}\n", &what, &out, &err), -1);
    check(strstr(err.text, "is not found again") != NULL);
    buf_release(&out);
}
