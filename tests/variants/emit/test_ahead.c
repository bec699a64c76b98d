/* Prefetches of what is reached under conditions, or at computed addresses: their text,
 * and that no array is read beyond its end. */
#include <stdlib.h>
#include <string.h>

#include "tests/cases.h"
#include "tests/check.h"
#include "tests/variants/programs.h"
#include "variants/emit/emit.h"
#include "variants/ir/ir.h"
#include "variants/model/model.h"
#include "variants/parse/parse.h"
#include "variants/plan/plan.h"

SUITE(variants_ahead);

#ifndef INFLIGHT_CC
#define INFLIGHT_CC "cc"
#endif

#define AHEAD INFLIGHT_SOURCE_DIR "/tests/data/gen/ahead.cases"

#define HEAD                                                                             \
    "void kernel(int n, int *restrict out, const int *restrict key,\n"                   \
    "            const int *restrict table, const int *restrict first)\n{\n"

static int emit(const char *body, const char *text, struct buf *out, struct error *err)
{
    struct ir_function *function;
    struct model *model = NULL;
    struct strvec flags = {0};
    struct plan *plan = NULL;
    char *source = xasprintf("%s    %s\n}\n", HEAD, body);
    int status = ir_parse("prebuild.c", source, 0, NULL, &flags, &function, err);
    if (!status) {
        struct model_request request = {.function = function};
        status = model_build(&request, &model, err) || plan_parse(text, &plan, err) ||
                         model_emit(model, plan, out, err)
                     ? -1
                     : 0;
        plan_free(plan);
        model_free(model);
        ir_function_free(function);
    }
    free(source);
    return status;
}

TEST("what is reached is fetched ahead")
{
    struct cases cases;

    cases_read(AHEAD, 31, &cases);
    for (size_t i = 0; i < cases.nr; i++) {
        const struct test_case *one = &cases.v[i];
        const char *why = case_part(one, "refused"), *lacks = case_part(one, "lacks");
        struct error err = {0};
        struct buf out = {0};
        int status = emit(one->text, one->name, &out, &err);

        if (why) {
            check_fails(status, &err, STATUS_ILLEGAL, why);
        } else if (check_ok(status, &err)) {
            check_contains(buf_str(&out), case_part(one, "has"));
            check(!lacks || !strstr(buf_str(&out), lacks));
        }
        buf_release(&out);
    }
    cases_release(&cases);
}

/* ---- run, each array exactly as long as the original reads ---- */

static const char main_text[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static int wrong;\n"
    "static int *array(int nr, int times, int add, int mod, int less)\n{\n"
    "    int *a = malloc(nr ? (size_t)nr * sizeof(int) : 1);\n"
    "    for (int i = 0; i < nr; i++)\n        a[i] = (i * times + add) % mod - less;\n"
    "    return a;\n}\n"
    "static void compare(int n, int which)\n{\n"
    "    int lowest = n > 1 ? n / 2 : 1;\n"
    "    int *key = array(n, 7, 3, lowest + 1, 1), *table = array(8, 3, 1, 8, 0);\n"
    "    int *first = array(n + 1, 0, 0, 1, 0), *a = array(n, 1, 0, 9, 2),\n"
    "        *b = array(n, 1, 0, 9, 2);\n"
    "    for (int i = 0; i <= n; i++)\n        first[i] = (i < 8 ? i : 7) < n ? (i < 8 ? "
    "i : 7) : n;\n"
    "    variant[which][0](n, a, key, table, first);\n"
    "    variant[which][1](n, b, key, table, first);\n"
    "    if (memcmp(a, b, (size_t)n * sizeof(int))) {\n"
    "        printf(\"case %d, n = %d\\n\", which, n);\n        wrong = 1;\n    }\n"
    "    free(key), free(table), free(first), free(a), free(b);\n}\n"
    "int main(void)\n{\n    static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 17, 31};\n"
    "    for (int k = 0; k < (int)(sizeof variant / sizeof *variant); k++)\n"
    "        for (int i = 0; i < 9; i++)\n            compare(sizes[i], k);\n"
    "    return wrong;\n}\n";

static void add_case(const struct test_case *one, size_t i, struct buf *source,
                     struct buf *table)
{
    struct error err = {0};
    struct buf out = {0};
    if (!check_ok(emit(one->text, one->name, &out, &err), &err))
        return;
    buf_addf(source,
             "#define kernel kernel_%zu\n#define kernel_min min_%zu\n%s    %s\n}\n"
             "#undef kernel\n#define kernel new_%zu\n%s\n#undef kernel\n#undef "
             "kernel_min\n",
             i, i, HEAD, one->text, i, buf_str(&out));
    buf_addf(table, "    {kernel_%zu, new_%zu},\n", i, i);
    buf_release(&out);
}

TEST("nothing is read beyond its end")
{
    struct buf source = {0}, table = {0};
    struct programs programs;
    struct cases cases;
    cases_read(AHEAD, 31, &cases);
    for (size_t i = 0; i < cases.nr; i++)
        if (!case_part(&cases.v[i], "refused"))
            add_case(&cases.v[i], i, &source, &table);
    cases_release(&cases);
    buf_addf(&source,
             "typedef void kernel_fn(int, int *restrict, const int *restrict, const int "
             "*restrict, const int *restrict);\nstatic kernel_fn *const variant[][2] = "
             "{\n%s};\n%s",
             buf_str(&table), main_text);
    if (programs_start(&programs, INFLIGHT_CC
                       " -std=c17 -O1 -Wall -Wextra -Wno-unused-parameter -Werror -g "
                       "-fno-sanitize-recover=all -fsanitize=address,undefined"))
        programs_build(&programs, buf_str(&source));
    programs_release(&programs);
    buf_release(&source);
    buf_release(&table);
}
