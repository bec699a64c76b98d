/* The tables of what may stand in a nest, row by row. */
#include "core/base/buf.h"
#include "tests/cases.h"
#include "tests/variants/loop_models.h"

SUITE(variants_closed);

/* The text is not a file's. */
static bool open_text(struct loops *loops, const char *name, const char *text)
{
    struct model_request request = {0};
    struct strvec flags = {0};
    struct error err = {0};
    *loops = (struct loops){0};
    bool ok =
        check_ok_at(ir_parse("closed.c", text, 0, "f", &flags, &loops->function, &err),
                    &err, name, HERE);
    request.function = loops->function;
    return ok &&
           check_ok_at(model_build(&request, &loops->model, &err), &err, name, HERE);
}

static void check_left(const struct loops *loops, const char *name, const char *want)
{
    struct model_view view = model_view(loops->model);
    struct buf all = {0};
    for (size_t i = 0; i < view.refusal_nr; i++)
        buf_addf(&all, "%s\n", view.refusal[i]);
    check_contains_at(buf_str(&all), want, name, HERE);
    buf_release(&all);
}

/* "PLAN: words of what is said" */
static void check_plan(const struct loops *loops, const char *name, const char *part,
                       const char *text)
{
    const char *words = strstr(text, "):");
    char *plan = words ? xstrndup(text, (size_t)(words + 1 - text)) : xstrdup(text);
    struct buf rests = {0}, code = {0};
    struct error err = {0};
    words = words ? words + 2 + (words[2] == ' ') : "";
    if (strcmp(part, "illegal") == 0)
        check_fails_at(loops_check(loops, plan, NULL, &err), &err, STATUS_ILLEGAL, words,
                       name, HERE);
    else if (check_ok_at(loops_check(loops, plan, &rests, &err), &err, name, HERE) &&
             strcmp(part, "rests") == 0)
        check_contains_at(buf_str(&rests), words, name, HERE);
    if (strcmp(part, "said") == 0)
        check_str_at(buf_str(&rests), words, name, HERE);
    if (strcmp(part, "has") == 0 &&
        check_ok_at(loops_emit(loops, plan, &code, &err), &err, name, HERE))
        check_contains_at(buf_str(&code), words, name, HERE);
    buf_release(&rests);
    buf_release(&code);
    free(plan);
}

TEST("what stands in a nest is taken apart or left as it is")
{
    struct cases cases;
    cases_read(INFLIGHT_SOURCE_DIR "/tests/data/model/closed.cases", 9, &cases);
    for (size_t i = 0; i < cases.nr; i++) {
        const struct test_case *one = &cases.v[i];
        struct loops loops;
        bool open = open_text(&loops, one->name, one->text);
        for (size_t k = 0; open && k < one->part_nr; k++) {
            const struct case_part *part = &one->part[k];
            if (strcmp(part->name, "left") == 0)
                check_left(&loops, one->name, part->text);
            else
                check_plan(&loops, one->name, part->name, part->text);
        }
        loops_close(&loops);
    }
    cases_release(&cases);
}

TEST("loops within a statement that is kept are told")
{
    struct model_request request = {0};
    struct strvec flags = {0};
    struct error err = {0};
    struct ir_function *function = NULL;
    struct model *model = NULL;
    const char *text = "void f(int n, int m, double *a)\n{\n    switch (m) {\n"
                       "    case 0:\n        for (int i = 0; i < n; i++)\n"
                       "            a[i]++;\n    default:;\n    }\n}\n";
    if (!check_ok(ir_parse("k.c", text, 0, "f", &flags, &function, &err), &err))
        return;
    request.function = function;
    check_fails(model_build(&request, &model, &err), &err, STATUS_INPUT,
                "k.c:3: no loop of the function 'f' can be read outside of a switch");
    ir_function_free(function);
}

/* Of C++: tests/variants/parse/test_cxx_read.c. */
TEST("each row of what is not taken apart has a case")
{
    static const struct {
        const char *cursor, *kind;
    } rows[] = {
#define CONSTRUCT(cursor, kind, words, text) {#cursor, #kind},
#include "variants/clang/constructs.def"
    };
    static const char *const other[] = {"LambdaExpr", "BlockExpr", "ClassDecl",
                                        "TypeAliasDecl"};
    struct cases cases;
    cases_read(INFLIGHT_SOURCE_DIR "/tests/data/model/closed.cases", 9, &cases);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        bool found =
            strncmp(rows[i].cursor, "CXX", 3) == 0 ||
            (strcmp(rows[i].kind, "EXPR") != 0 && strcmp(rows[i].kind, "STMT") != 0);
        for (size_t k = 0; k < ARRAY_SIZE(other); k++)
            found = found || strcmp(rows[i].cursor, other[k]) == 0;
        for (size_t k = 0; !found && k < cases.nr; k++)
            found = strstr(cases.v[k].name, rows[i].cursor) != NULL;
        if (!found)
            check_str_at("no case", rows[i].cursor, "closed.cases", HERE);
    }
    cases_release(&cases);
}

/* ---- functions ---- */

static const char *const headers = "#include <complex.h>\n#include <math.h>\n"
                                   "#include <stdio.h>\n#include <stdlib.h>\n"
                                   "#include <string.h>\n#include <strings.h>\n";

/* Numbers, and addresses: of the array that is looked at for parameter `which`, of
 * another one for the others. */
static void add_arguments(struct buf *text, const struct known_function *row,
                          size_t which)
{
    size_t nr = *row->prototype ? strlen(row->prototype) - 1 : 1;
    for (size_t i = 0; i < nr; i++) {
        char use = *row->memory ? row->memory[i] : '-';
        buf_add(text, i ? ", " : "");
        buf_add(text, use == 'n'   ? "4"
                      : use == '-' ? "x[i]"
                      : i == which ? "a + i"
                                   : "c + 8 * i");
    }
}

/* A value leaves the order of iterations free; what reads or writes next to where the
 * iteration writes does not. */
static void check_function(const struct known_function *row, size_t which)
{
    struct buf text = {0};
    struct loops loops;
    struct error err = {0};
    bool memory = row->does == FUNCTION_MEMORY;
    buf_addf(
        &text, "%s%s", headers,
        "void f(int n, char *restrict a, char *restrict c, const double *restrict x, "
        "double *restrict y)\n{\n    for (int i = 0; i < n; i++) {\n        ");
    buf_addf(&text, "%s%s(", memory ? "" : "y[i] = ", row->name);
    add_arguments(&text, row, which);
    buf_addf(&text, ");\n        %s;\n    }\n}\n", memory ? "a[i + 1] = 1" : "");
    if (open_text(&loops, row->name, buf_str(&text))) {
        if (memory)
            check_fails_at(loops_check(&loops, "reverse(i)", NULL, &err), &err,
                           STATUS_ILLEGAL, "is not legal", row->name, HERE);
        else
            check_ok_at(loops_check(&loops, "reverse(i)", NULL, &err), &err, row->name,
                        HERE);
    }
    loops_close(&loops);
    buf_release(&text);
}

/* What no header of this system declares for C. */
TEST("functions of other systems and of C++ end the program, too")
{
    static const char *const names[] = {"__assert", "__assert_rtn", "std::terminate"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (!function_is(function_named(names[i]), FUNCTION_ENDS))
            check_str_at("does not end the program", names[i], "functions.def", HERE);
}

/* A function that only reads what an argument leads to says so in its prototype, and
 * none of these has a pointer that it leaves alone. */
TEST("what functions read and write is what their prototypes promise")
{
    for (size_t i = 0; i < known_function_nr; i++) {
        const struct known_function *row = &known_functions[i];
        for (size_t k = 0; row->does == FUNCTION_MEMORY && row->memory[k]; k++) {
            char type = row->prototype[k + 1], use = row->memory[k];
            if (!strchr(strchr("qk", type) ? "r" : strchr("ps", type) ? "wx" : "-n", use))
                check_str_at(row->memory, row->prototype, row->name, HERE);
        }
        if (row->does == FUNCTION_MEMORY)
            check_eq(strlen(row->memory) + 1, strlen(row->prototype));
    }
}

/* Those of two arguments or none, and templates, stand in the cases. */
TEST("each row of functions does what it says")
{
    static const char *const others[] = {
        "__builtin_isgreater",   "__builtin_isgreaterequal", "__builtin_isless",
        "__builtin_islessequal", "__builtin_islessgreater",  "__builtin_isunordered",
        "__builtin_huge_val",    "__builtin_huge_valf",      "__builtin_inf",
        "__builtin_inff"};
    for (size_t i = 0; i < known_function_nr; i++) {
        const struct known_function *row = &known_functions[i];
        bool other = strcmp(row->prototype, "std") == 0;
        for (size_t k = 0; k < ARRAY_SIZE(others); k++)
            other = other || strcmp(row->name, others[k]) == 0;
        if (!other && row->does == FUNCTION_VALUE)
            check_function(row, 0);
        for (size_t k = 0; row->does == FUNCTION_MEMORY && row->memory[k]; k++)
            if (strchr("rwx", row->memory[k]))
                check_function(row, k);
    }
}
