/* The user's pragmas of loops inside: kept where the loop stays, else said. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "variants/model/model.h"

#define NEST(first, second)                                                              \
    "void f(int n, double A[restrict n][n], double B[restrict n][n])\n{\n" first         \
    "    for (int i = 0; i < n; i++) {\n" second                                         \
    "        for (int j = 0; j < n; j++)\n            A[i][j] += B[j][i];\n    }\n}\n"

static const struct {
    const char *source, *plan;
    const char *has, *lacks; /* in the text; NULL = nothing */
    const char *said;        /* "" = nothing */
} cases[] = {
    {NEST("", "#pragma GCC unroll 4\n"), "tile(i:8)",
     "#pragma GCC unroll 4\n            for (int j = 0; j < n; j++)", NULL, ""},
    {NEST("", "#pragma GCC unroll 4\n"), "tile(j:8)", NULL, "#pragma",
     "dropped: line 4 #pragma GCC unroll 4\n"},
    {NEST("", "#pragma GCC unroll 4\n"), "interchange(j,i)", NULL, "#pragma",
     "dropped: line 4 #pragma GCC unroll 4\n"},
    {NEST("", "#pragma GCC unroll 4\n"), "unroll_jam(i:2)", NULL, "#pragma",
     "dropped: line 4 #pragma GCC unroll 4\n"},
    {NEST("", "#pragma GCC unroll 4\n"), "simd", "#pragma omp simd", "GCC unroll",
     "dropped: line 4 #pragma GCC unroll 4\n"},
    {NEST("", "#pragma clang loop vectorize(enable)\n"), "prefetch(B:4)",
     "#pragma clang loop vectorize(enable)\n", NULL, ""},
    {NEST("", "#pragma omp simd\n#pragma GCC unroll 2\n"), "tile(i:8)",
     "#pragma GCC unroll 2\n", NULL, ""},
    {NEST("#pragma GCC ivdep\n", "#pragma omp simd simdlen(8)\n"), "tile(i:8)",
     "            #pragma omp simd simdlen(8)\n            for (int j = 0", "ivdep",
     "dropped: line 3 #pragma GCC ivdep\n"},
    {NEST("#pragma GCC ivdep\n", ""), "prefetch(B:4)",
     "#pragma GCC ivdep\n        for (int i = 0", NULL, ""},
    {NEST("", "#pragma omp simd aligned(A:64)\n"), "tile(i:8)", NULL, "#pragma",
     "dropped: line 4 #pragma omp simd aligned(A:64)\n"},
};

static int emit(const char *source, const char *text, struct buf *said, struct buf *out,
                struct error *err)
{
    struct ir_function *function;
    struct model *model = NULL;
    struct strvec flags = {0};
    struct plan *plan = NULL;
    int status = ir_parse("kept.c", source, 0, NULL, &flags, &function, err);
    if (status)
        return status;
    struct model_request request = {.function = function};
    status = model_build(&request, &model, err) || plan_parse(text, &plan, err) ||
                     model_check(model, plan, said, err) ||
                     model_emit(model, plan, out, err)
                 ? -1
                 : 0;
    plan_free(plan);
    model_free(model);
    ir_function_free(function);
    return status;
}

static void pragmas_stay_or_it_is_said(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct buf out = {0}, said = {0};
        if (check_ok(emit(cases[i].source, cases[i].plan, &said, &out, &err), &err)) {
            check_str(buf_str(&said), cases[i].said);
            check_contains(buf_str(&out), cases[i].has ? cases[i].has : "");
            check(!cases[i].lacks || !strstr(buf_str(&out), cases[i].lacks));
        }
        buf_release(&out);
        buf_release(&said);
    }
}

CU_TestInfo variants_kept_tests[] = {
    {"pragmas stay, or it is said", pragmas_stay_or_it_is_said},
    CU_TEST_INFO_NULL,
};
