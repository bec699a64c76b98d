/* What each pragma and clause of variants/ir/openmp.def allows a plan, cell by cell. */
#include "core/base/buf.h"
#include "tests/cases.h"
#include "tests/variants/loop_models.h"

SUITE(variants_openmp);

/* A plan for each change of the first loop. */
static const struct {
    const char *change, *plan;
} plans[] = {
    {"kept", "nest(1) prefetch(g:4)"},
    {"moved", "nest(1) tile(i:8)"},
    {"fused", "fuse(i)"},
    {"streamed", "nest(1) nontemporal(b)"},
    {"fetched", "nest(1) prefetch(x:4)"},
    {"vectors", "nest(1) simd"},
    {"replaced", "nest(1) parallel(i)"},
};

/* `t` is set, and read behind the loops where the case is called so. */
static const char kernel[] =
    "double kernel(int n, int k, int m, double *restrict b, double *restrict c,\n"
    "              const double *restrict g, const double *restrict x,\n"
    "              const int *restrict p)\n"
    "{\n"
    "    double t = 7;\n"
    "    unsigned s = 3;\n"
    "    %s\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        t = x[i] * 2;\n"
    "        b[i] = t + g[p[i]];\n"
    "    }\n"
    "    %s\n"
    "    for (int i = 0; i < n; i++)\n"
    "        c[i] = b[i] + x[i];\n"
    "    return s + k + m%s;\n"
    "}\n";

static bool open_text(const char *text, struct loops *loops)
{
    struct model_request request = {0};
    struct strvec flags = {0};
    struct error err = {0};
    bool read = check_ok(
        ir_parse("kernel.c", text, 0, NULL, &flags, &loops->function, &err), &err);

    request.function = loops->function;
    return read && check_ok(model_build(&request, &loops->model, &err), &err);
}

static void judge(struct cases *cases, struct test_case *one, const struct loops *loops)
{
    struct model_view view = model_view(loops->model);

    if (view.refusal_nr > 0) {
        check_case(cases, one, "left", view.refusal[0]);
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
        struct error err = {0};
        int status = loops_check(loops, plans[i].plan, NULL, &err);
        check_case(cases, one, plans[i].change, status ? err.text : "legal");
    }
}

/* Those of the team and of the loop; what variables each thread has is for the new code
 * to say. */
TEST("clauses stay where the directive moves")
{
    static const struct {
        const char *clauses, *plan, *moved;
    } want[] = {
        {"if(n > 9)", "nest(1) tile(i:8)", "#pragma omp parallel for if(n > 9)\n"},
        {"if(parallel : n > 9) num_threads(3) schedule(static, 2) private(t)",
         "nest(1) tile(i:8)",
         "#pragma omp parallel for schedule(static, 2) if(parallel : n > 9) "
         "num_threads(3)\n"},
        {"simd if(simd: n > 9) if(parallel: n > 8)", "nest(1) tile(i:8)",
         "#pragma omp parallel for if(parallel: n > 8)\n"},
        {"schedule(static) if(n > 9) proc_bind(close)", "nest(1) nontemporal(b)",
         "#pragma omp parallel for schedule(static) if(n > 9) proc_bind(close)\n"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        struct loops loops = {0};
        struct error err = {0};
        struct buf out = {0};
        char *pragma = xasprintf("#pragma omp parallel for %s", want[i].clauses);
        char *text = xasprintf(kernel, pragma, "", "");
        if (open_text(text, &loops) &&
            check_ok(loops_emit(&loops, want[i].plan, &out, &err), &err))
            check_contains(buf_str(&out), want[i].moved);
        loops_close(&loops);
        buf_release(&out);
        free(pragma);
        free(text);
    }
}

/* Refused by a cell, or by what has nothing to do with the pragma. */
TEST("each pragma and clause against each change")
{
    struct cases cases;

    cases_read(LOOPS_DATA "/openmp.cases", 40, &cases);
    for (size_t i = 0; i < cases.nr; i++) {
        struct test_case *one = &cases.v[i];
        struct loops loops = {0};
        const char *second = case_part(one, "second");
        char *text = xasprintf(kernel, one->name, second ? second : "",
                               case_part(one, "live") ? " + t" : "");

        if (open_text(text, &loops)) {
            judge(&cases, one, &loops);
            loops_close(&loops);
        }
        free(text);
    }
    cases_release(&cases);
}
