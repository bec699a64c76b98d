#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "tests/cases.h"
#include "tests/check.h"
#include "variants/parse/parse.h"
#include "variants/parse/parse_parts.h"

SUITE(variants_select);

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/parse/"

/* ---- choosing the function ---- */

TEST("the function is chosen")
{
    static const struct {
        const char *file;
        int line;
        const char *name, *want;
    } cases[] = {
        {"two", 0, NULL, "two"},         {"two", 0, "first", "first"},
        {"two", 4, NULL, "first"},       {"two", 11, NULL, "two"},
        {"pragmas", 0, NULL, "pragmas"}, {"include", 0, "scale", "scale"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct ir_function *function = NULL;
        char *path = xasprintf(DATA "ok/%s.c", cases[i].file);
        if (check_ok(
                ir_parse(path, NULL, cases[i].line, cases[i].name, NULL, &function, &err),
                &err))
            check_str(function->name, cases[i].want);
        ir_function_free(function);
        free(path);
    }
}

TEST("flags reach the compiler")
{
    struct error err = {0};
    struct ir_function *function = NULL;
    struct strvec flags = {0};
    strvec_split(&flags, "-c -o x.o -MMD -MF x.d -fopenmp -Werror -fno-such-flag "
                         "--param x=1 -march=no-such-machine -D WIDE -O3 other.c");
    check_ok(ir_parse(DATA "ok/conditionals.c", NULL, 0, NULL, &flags, &function, &err),
             &err);
    if (check(function != NULL))
        check_eq(function->symbol[1]->type.bytes, 8);
    ir_function_free(function);
    strvec_release(&flags);
}

/* -M would write files, -fopenmp hide the bodies of loops. */
TEST("flags of the build are dropped")
{
    static const struct {
        const char *flags, *want;
    } cases[] = {
        {"-c -S -E -o x.o a.c b.o", ""},
        {"-MMD -MF x.d -MT x -MQ x -MP -M", ""},
        {"-Werror -Werror=vla -fopt-info-vec -fplugin=x.so --param a=1 --param=b=2", ""},
        {"-x c++ -xc++ -save-temps=obj -Xclang -load -load x.so @more", ""},
        {"-fopenmp", "-D_OPENMP=201511"},
        {"-fopenmp-simd", ""},
        {"-I inc -Iinc -D A=1 -DB -U C -include x.h -isystem s", "same"},
        {"-std=gnu11 -O3 -march=native -Wall -ffast-math -m32", "same"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct strvec flags = {0}, args = {0};
        struct buf got = {0};
        bool same = strcmp(cases[i].want, "same") == 0;
        strvec_split(&flags, cases[i].flags);
        parse_args(&flags, "", false, &args);
        for (size_t j = 2; j < args.nr; j++)
            buf_addf(&got, "%s%s", j > 2 ? " " : "", args.v[j]);
        check_str(buf_str(&got), same ? cases[i].flags : cases[i].want);
        strvec_release(&flags);
        strvec_release(&args);
        buf_release(&got);
    }
}

/* The body stays readable, and the branches are those of the real compilation. */
TEST("OpenMP is read like plain C")
{
    struct error err = {0};
    struct ir_function *function = NULL;
    struct strvec flags = {0};
    strvec_push(&flags, "-fopenmp");
    int result = ir_parse(DATA "openmp.c", NULL, 0, NULL, &flags, &function, &err);
    strvec_release(&flags);
    if (result < 0 && strstr(err.text, "omp.h")) {
        check_skip("no omp.h");
        return;
    }
    if (!check_ok(result, &err))
        return;
    check_eq(function->symbol[1]->type.bytes, 4);
    check_eq(function->body->child_nr, 2);
    check(function->body->child[1]->canonical);
    check_contains(function->body->child[1]->pragma->text, "omp parallel for");
    ir_function_free(function);
}

/* ---- refused files ---- */

static int read_source(const struct test_case *one, const char *path, struct error *err)
{
    const char *args = case_part(one, "args");
    const char *number = args ? strstr(args, "--line ") : NULL;
    const char *named = args ? strstr(args, "--function ") : NULL;
    struct ir_function *function = NULL;
    int result = ir_parse(path, NULL, number ? atoi(number + 7) : 0,
                          named ? named + 11 : NULL, NULL, &function, err);

    check(function == NULL);
    return result;
}

TEST("bad files are refused")
{
    check_refused(DATA "bad.cases", 15, read_source);
}

TEST("a missing file is named")
{
    struct error err = {0};
    struct ir_function *function = NULL;
    check_fails(ir_parse("/no/such/kernel.c", NULL, 0, NULL, NULL, &function, &err), &err,
                STATUS_INPUT, "/no/such/kernel.c");
}
