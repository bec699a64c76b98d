#include <CUnit/CUnit.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "variants/ir/ir.h"
#include "variants/parse/parse.h"

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/parse/"

/* ---- choosing the function ---- */

static void the_function_is_chosen(void)
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

static void flags_reach_the_compiler(void)
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
static void flags_of_the_build_are_dropped(void)
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
static void openmp_is_read_like_plain_c(void)
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

struct bad_case {
    char *dir, *input, *args, *expected;
};

static char *read_text(const char *path)
{
    struct buf text = {0};
    file_read(path, &text, NULL);
    while (text.length > 0 && text.data[text.length - 1] == '\n')
        buf_truncate(&text, text.length - 1);
    return buf_detach(&text);
}

static char *without_dir(const char *text, const char *dir)
{
    struct buf out = {0};
    size_t length = strlen(dir);
    while (*text) {
        if (strncmp(text, dir, length) == 0)
            text += length;
        else
            buf_add_n(&out, text++, 1);
    }
    return buf_detach(&out);
}

/* tests/data/parse/bad/<case>/: input.c (or input.cpp), expected.error, args such as
 * "--function f". */
static void check_bad(const char *name)
{
    struct error err = {0};
    struct ir_function *function = NULL;
    char *dir = xasprintf(DATA "bad/%s/", name);
    char *input = xasprintf("%sinput.c", dir), *args_path = xasprintf("%sargs", dir);
    char *want_path = xasprintf("%sexpected.error", dir);
    char *args = read_text(args_path), *want = read_text(want_path);
    const char *number = strstr(args, "--line "), *named = strstr(args, "--function ");
    if (!file_exists(input)) {
        free(input);
        input = xasprintf("%sinput.cpp", dir);
    }
    int result = ir_parse(input, NULL, number ? atoi(number + 7) : 0,
                          named ? named + 11 : NULL, NULL, &function, &err);
    char *got = without_dir(err.text, dir);
    check_eq(result, -1);
    check_eq(err.status, STATUS_INPUT);
    check(function == NULL);
    if (getenv("INFLIGHT_REWRITE_EXPECTED")) {
        free(want);
        want = xasprintf("%s\n", got);
        check_ok(file_write(want_path, want, strlen(want), NULL), NULL);
    } else
        check_str(got, want);
    free(dir);
    free(input);
    free(args_path);
    free(want_path);
    free(args);
    free(want);
    free(got);
}

static void bad_files_are_refused(void)
{
    DIR *dir = opendir(DATA "bad");
    size_t nr = 0;
    if (!check(dir != NULL))
        return;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.') {
            check_bad(entry->d_name);
            nr++;
        }
    closedir(dir);
    check(nr >= 14);
}

static void a_missing_file_is_named(void)
{
    struct error err = {0};
    struct ir_function *function = NULL;
    check_fails(ir_parse("/no/such/kernel.c", NULL, 0, NULL, NULL, &function, &err), &err,
                STATUS_INPUT, "/no/such/kernel.c");
}

CU_TestInfo variants_select_tests[] = {
    {"the function is chosen", the_function_is_chosen},
    {"flags reach the compiler", flags_reach_the_compiler},
    {"flags of the build are dropped", flags_of_the_build_are_dropped},
    {"OpenMP is read like plain C", openmp_is_read_like_plain_c},
    {"bad files are refused", bad_files_are_refused},
    {"a missing file is named", a_missing_file_is_named},
    CU_TEST_INFO_NULL,
};
