#include <CUnit/CUnit.h>

#include "tests/test_variants_loops.h"
#include "variants/model/poly.h"

struct refusal {
    const char *kernel, *plan;
    enum status status;
    const char *part;
};

static void each_refused(const struct refusal *cases, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct loops loops;
        struct error err = {0};
        if (!loops_open(&loops, cases[i].kernel, NULL))
            continue;
        check_fails(loops_check(&loops, cases[i].plan, NULL, &err), &err, cases[i].status,
                    cases[i].part);
        loops_close(&loops);
    }
}

/* With an emptied dependence relation all of these would pass. */
static void illegal_plans_name_the_dependence(void)
{
    static const struct refusal cases[] = {
        {"jacobi", "tile(t:2,i:4)", STATUS_ILLEGAL,
         "plan 'tile(t:2,i:4)' is not legal: y[i] written at line 6 is read as y[i + 1] "
         "at "
         "line 8 later (distance [0..1]), and the plan would run the second before the "
         "first"},
        {"seidel", "tile(i:4,j:4,t:2)", STATUS_ILLEGAL,
         "a[i][j] written at line 7 is read as a[i][j + 1] at line 7 later (distance [1, "
         "0, -1])"},
        {"seidel", "unroll_jam(t:2)", STATUS_ILLEGAL, "a[i][j] written at line 7"},
        {"gemm", "simd", STATUS_ILLEGAL,
         "no innermost loop can be vectorised: c[i][j] written at line 7 is read as "
         "c[i][j] at "
         "line 7 later (distance [0, 0, 1..])"},
        {"lu", "unroll_jam(k:2)", STATUS_ILLEGAL, "a[i][j] written at line 9"},
        {"refused/reverse", "interchange(j,i)", STATUS_ILLEGAL,
         "which elements a[p[j]] names cannot be told from the source"},
    };
    each_refused(cases, ARRAY_SIZE(cases));
}

static void steps_that_cannot_be_done_say_why(void)
{
    static const struct refusal cases[] = {
        {"cholesky", "interchange(j,k)", STATUS_ILLEGAL,
         "the loop over j at line 7 has 2 parts, of which the loop over k is only one; "
         "distribute(j) would give each a loop of its own"},
        {"gemm", "distribute(j)", STATUS_ILLEGAL,
         "the loop over j at line 5 has one part only"},
        {"gemm", "fuse(i)", STATUS_ILLEGAL,
         "no loop over i follows the loop over i at line 4 directly"},
        {"durbin", "fuse(i)", STATUS_ILLEGAL, "no loop over i follows the loop"},
        {"down", "fuse(j,i)", STATUS_ILLEGAL, "no loop over i follows the loop over j"},
        {"gemm", "skew(i,j:1)", STATUS_ILLEGAL,
         "the loop over j is not around the loop over i"},
        {"gemm", "skew(i:2,j:1)", STATUS_USAGE, "without a number: skew(i,t:1)"},
        {"jacobi", "fuse(i)", STATUS_ILLEGAL, "y[i] written at line 6"},
        {"heat", "fuse(i)", STATUS_ILLEGAL, "b[i][j] written at line 7 is read as"},
        {"heat", "distribute(t)", STATUS_ILLEGAL, "a[i][j] written at line 10"},
        {"durbin", "skew_tile(k:4,i:4)", STATUS_ILLEGAL, "cannot be tiled by skewing"},
        {"oldstyle", "distribute(i)", STATUS_ILLEGAL,
         "the plan is not legal: 's' would need one copy for every iteration"},
        {"never/late", "distribute(i)", STATUS_ILLEGAL, "'t' would need one copy"},
        {"never/late", "distribute(k)", STATUS_ILLEGAL, "'s' would need one copy"},
    };
    each_refused(cases, ARRAY_SIZE(cases));
}

/* A stencil tiled in time whose loops are then unrolled ends at the limit. */
static void plans_that_explode_are_stopped(void)
{
    const struct model_request limit = {.operation_limit = 200000};
    struct loops loops;
    struct error err = {0};
    if (!loops_open(&loops, "heat", &limit))
        return;
    check_fails(loops_check(&loops,
                            "skew_tile(t:4,i:8,j:8) unroll_jam(i:2,j:2) unroll(t:2)",
                            NULL, &err),
                &err, STATUS_ILLEGAL,
                "too complex to decide (over 200000 operations); drop a step");
    loops_close(&loops);
}

static void plans_that_name_nothing_list_what_there_is(void)
{
    static const struct refusal cases[] = {
        {"gemm", "tile(q:4)", STATUS_USAGE,
         "no nest has the loops named in 'tile(q:4)'; there are i, j, k"},
        {"gemm", "tile(i:4) interchange(jt,i)", STATUS_USAGE, "there are it, i, j, k"},
        {"gemm", "prefetch(zz:4)", STATUS_USAGE,
         "no nest has the array named in 'prefetch(zz:4)'; there are a, b, c"},
        {"gemm", "simd(i)", STATUS_USAGE, "simd applies to innermost loops"},
        {"gemm", "unroll(i:2) unroll(i:2)", STATUS_USAGE, "could be unrolled once"},
        {"matvec", "interchange(j,i)", STATUS_ILLEGAL, "not perfectly nested"},
        {"refused/parallel", "tile(i:4)", STATUS_ILLEGAL,
         "an OpenMP loop is left as it is"},
        {"refused/reverse", "prefetch(x:8)", STATUS_ILLEGAL, "what is to be prefetched"},
    };
    each_refused(cases, ARRAY_SIZE(cases));
}

static void legal_plans_pass(void)
{
    static const char *const cases[][2] = {
        {"gemm",
         "tile(i:32,j:32,k:32) interchange(it,kt,jt,i,k,j) unroll_jam(i:4,k:4) simd"},
        {"gemm", ""},
        {"seidel", "tile(i:4) simd(j)"},
        {"jacobi", "tile(i:8) simd"},
        {"matvec", "unroll_jam(i:4)"},
        {"matvec", "tile(i:8)"},
        {"trmm", "tile(i:8,j:8) unroll_jam(j:2)"},
        {"scatter", "unroll(i:4) prefetch(a:8)"},
        {"chain", "unroll_jam(i:2) simd"},
        {"oldstyle", "tile(i:4,j:4)"}, /* with a place for every i of a tile */
        {"chain", "tile(i:2,j:3)"},
        {"down", "interchange(i,j)"},
        {"overlapped", "fuse(i,k,shift:1) unroll(i:4)"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct loops loops;
        struct error err = {0};
        if (!loops_open(&loops, cases[i][0], NULL))
            continue;
        if (!strcmp(cases[i][0], "seidel")) /* every loop of it carries something */
            check_fails(loops_check(&loops, cases[i][1], NULL, &err), &err,
                        STATUS_ILLEGAL, "");
        else
            check_ok(loops_check(&loops, cases[i][1], NULL, &err), &err);
        loops_close(&loops);
    }
}

/* No step makes such trees. If one ever did, the dependences alone would not tell. */
static void trees_run_everything_once(void)
{
    struct loops loops;
    if (!loops_open(&loops, "never/late", NULL))
        return;
    const struct nest *nest = loops.model->nest[0];
    check(tree_runs_all(nest, nest->tree));
    struct tree *twice = tree_new(TREE_SEQ);
    tree_add(twice, tree_copy(nest->tree));
    tree_add(twice, tree_copy(nest->tree));
    check(!tree_runs_all(nest, twice));
    struct tree *less = tree_copy(tree_find(nest->tree, "j"));
    check(!tree_runs_all(nest, less));
    /* a loop over j around everything has no value for what is not below the old one */
    for (size_t i = 0; i < less->child_nr; i++)
        tree_free(less->child[i]);
    less->child_nr = 0;
    tree_add(less, tree_copy(nest->tree));
    check(!tree_runs_all(nest, less));
    tree_free(twice);
    tree_free(less);
    loops_close(&loops);
}

/* ---- what the user vouches for ---- */

static struct strvec one(const char *text)
{
    struct strvec list = {0};
    strvec_push(&list, text);
    return list;
}

static void independent_removes_what_a_loop_carries(void)
{
    struct strvec assume = one("independent(j)");
    const struct model_request request = {.assume = &assume};
    struct buf text = {0};
    struct loops loops;
    struct error err = {0};
    if (loops_open(&loops, "refused/reverse", &request)) {
        check_ok(loops_check(&loops, "simd(j)", &text, &err), &err);
        check_contains(buf_str(&text), "the user vouches: independent(j)");
        loops_close(&loops);
    }
    if (loops_open(&loops, "refused/reverse", NULL)) {
        check_fails(loops_check(&loops, "simd(j)", NULL, &err), &err, STATUS_ILLEGAL,
                    "a[p[j]]");
        loops_close(&loops);
    }
    buf_release(&text);
    strvec_release(&assume);
}

static void sums_are_reordered_only_on_request(void)
{
    const struct model_request request = {.reassociate = true};
    struct buf text = {0};
    struct loops loops;
    struct error err = {0};
    if (loops_open(&loops, "matvec", &request)) {
        check_ok(loops_emit(&loops, "simd", &text, &err), &err);
        check_contains(buf_str(&text), "#pragma omp simd reduction(+:s)");
        loops_close(&loops);
    }
    if (loops_open(&loops, "matvec", NULL)) {
        check_fails(loops_check(&loops, "simd", NULL, &err), &err, STATUS_ILLEGAL,
                    "with --reassociate sums may be reordered");
        loops_close(&loops);
    }
    buf_release(&text);
}

static void overlap_is_assumed_aloud_or_refused(void)
{
    struct strvec assume = one("noalias(x, y, a)");
    const struct model_request request = {.assume = &assume};
    struct buf text = {0};
    struct loops loops;
    struct error err = {0};
    if (loops_open(&loops, "overlap", NULL)) {
        check_ok(loops_check(&loops, "tile(j:4)", &text, &err), &err);
        check_contains(buf_str(&text), "'y' and 'x' do not overlap (tested at run time");
        loops_close(&loops);
    }
    buf_reset(&text);
    if (loops_open(&loops, "overlap", &request)) {
        check_ok(loops_emit(&loops, "tile(j:4)", &text, &err), &err);
        check(!strstr(buf_str(&text), "else"));
        loops_close(&loops);
    }
    if (loops_open(&loops, "refused/span", NULL)) {
        check_fails(loops_check(&loops, "tile(i:4)", NULL, &err), &err, STATUS_ILLEGAL,
                    "#pragma inflight assume noalias(");
        check_ok(loops_check(&loops, "prefetch(x:4)", NULL, &err),
                 &err); /* keeps the order */
        loops_close(&loops);
    }
    buf_release(&text);
    strvec_release(&assume);
}

struct rest {
    const char *kernel, *plan, *flag, *rests,
        *text; /* text: in the new code, NULL = any */
};

/* One kernel with one compiler flag. */
static void check_rest(const struct rest *at)
{
    struct model_request request = {0};
    struct strvec flags = {0};
    struct loops loops = {0};
    struct buf rests = {0}, text = {0};
    struct error err = {0};
    char *path = xasprintf(LOOPS_DATA "/never/%s.c", at->kernel);
    if (at->flag)
        strvec_push(&flags, at->flag);
    bool ok =
        check_ok(ir_parse(path, NULL, 0, NULL, &flags, &loops.function, &err), &err);
    request.function = loops.function;
    ok = ok && check_ok(model_build(&request, &loops.model, &err), &err) &&
         check_ok(loops_check(&loops, at->plan, &rests, &err), &err) &&
         check_ok(loops_emit(&loops, at->plan, &text, &err), &err);
    if (ok) {
        check_contains(buf_str(&rests), at->rests);
        check_contains(buf_str(&text), at->text ? at->text : "");
    }
    loops_close(&loops);
    strvec_release(&flags);
    buf_release(&rests);
    buf_release(&text);
    free(path);
}

/* W3, W7, W8 of the audit of November 2026. */
static void what_others_may_reach_is_tested(void)
{
    static const struct rest cases[] = {
        {"global", "interchange(j,i)", NULL, "'x' and 'alpha' do not overlap (tested",
         "&alpha < &x[0]"},
        {"global", "interchange(j,i)", NULL, "'mark' and 'size' do not overlap (tested",
         "&size < &mark[0]"},
        {"global", "unroll(j:4)", NULL, "'mark' and 'size' do not overlap (tested",
         "&size < &mark[0]"},
        {"global", "interchange(j,i)", NULL, "C's rule for types", NULL},
        {"global", "interchange(j,i)", "-fno-strict-aliasing",
         "'x' and 'size' do not overlap (tested", NULL},
        {"shown", "simd(k)", NULL, "'x' and 'alpha' do not overlap (tested", NULL},
        {"types", "interchange(j,i)", NULL, "memory is not used both as int and float",
         NULL},
        {"types", "interchange(j,i)", "-fno-strict-aliasing",
         "'a' and 'b' do not overlap (tested",
         "(const char *)&a[n - 1] + 3 < (const char *)&b[0]"},
        {"ends", "interchange(j,i)", NULL, "'c' and 'a' do not overlap (tested",
         "&c[(long)n + 2] < &a[0]"},
        {"ends", "interchange(j,i)", NULL, "", "&a[n - 1] < &c[1]"},
        {"corner", "unroll(i:2)", NULL, "'b' and 'a' do not overlap (tested",
         "for (int i ="},
        {"rows", "tile(i:4)", NULL,
         "the subscripts of 'a' at line 5 stay in their rows\n", NULL},
        {"macros", "tile(i:4)", NULL, "", "long it_0 ="},
        {"macros", "tile(i:4,j:4)", NULL, "", "long jt_0 ="},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_rest(&cases[i]);
}

/* W5, W6, W8 of it. */
static void clauses_bodies_and_macros_are_refused(void)
{
    static const struct refusal cases[] = {
        {"never/last", "distribute(i)", STATUS_ILLEGAL,
         "OpenMP pragma of line 4, whose clause 'lastprivate'"},
        {"never/last", "unroll(i:2)", STATUS_ILLEGAL, "whose clause 'lastprivate'"},
        {"never/last_two", "distribute(i) fuse(i,shift:1)", STATUS_ILLEGAL,
         "whose clause 'lastprivate'"},
        {"never/kept", "parallel(j)", STATUS_ILLEGAL, "whose clause 'private' gives"},
        {"never/own_sqrt", "simd", STATUS_ILLEGAL, "'sqrt' may change memory"},
        {"never/other_sqrt", "simd", STATUS_ILLEGAL, "'sqrt' may change memory"},
        {"never/thread", "parallel(i)", STATUS_ILLEGAL, "each thread has a 'alpha'"},
        {"never/macros", "simd(j)", STATUS_ILLEGAL, "'simd' is a macro of this file"},
        {"never/twice", "simd", STATUS_ILLEGAL, "'w' is a variable and a macro"},
    };
    each_refused(cases, ARRAY_SIZE(cases));
    struct loops loops;
    struct error err = {0};
    if (!loops_open(&loops, "never/last", NULL))
        return;
    check_ok(loops_check(&loops, "tile(j:8)", NULL, &err), &err);
    loops_close(&loops);
}

static void fields_may_be_vouched_for(void)
{
    struct strvec assume = one("noalias(in->px, out->px)");
    const struct model_request request = {.assume = &assume};
    struct loops loops;
    struct error err = {0};
    if (loops_open(&loops, "pictures", NULL)) {
        check_fails(loops_check(&loops, "interchange(y,x)", NULL, &err), &err,
                    STATUS_ILLEGAL, "#pragma inflight assume noalias(in->px, out->px)");
        loops_close(&loops);
    }
    if (loops_open(&loops, "pictures", &request)) {
        check_ok(loops_check(&loops, "interchange(y,x)", NULL, &err), &err);
        loops_close(&loops);
    }
    strvec_release(&assume);
}

static void wrong_assumptions_are_refused(void)
{
    static const char *const cases[][2] = {
        {"independent(q)", "there is no loop 'q'"},
        {"noalias(a, q)", "there is no array 'q'"},
        {"noalias(a", "a ')' is missing"},
        {"peace", "is not understood; there are independent(i) and noalias(a, b)"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct strvec flags = {0}, assume = one(cases[i][0]);
        struct ir_function *function;
        struct model *model;
        struct error err = {0};
        if (check_ok(
                ir_parse(LOOPS_DATA "/gemm.c", NULL, 0, NULL, &flags, &function, &err),
                &err)) {
            const struct model_request request = {.function = function,
                                                  .assume = &assume};
            check_fails(model_build(&request, &model, &err), &err, STATUS_INPUT,
                        cases[i][1]);
            ir_function_free(function);
        }
        strvec_release(&assume);
    }
}

/* ---- running out of operations ---- */

static void nothing_is_accepted_when_the_check_cannot_finish(void)
{
    static const char *const cases[][2] = {
        {"gemm", "interchange(i,k,j)"},   {"gemm", "tile(i:32,j:32,k:32)"},
        {"gemm", "unroll_jam(i:4) simd"}, {"seidel", "tile(i:4,j:4,t:2)"},
        {"seidel", "interchange(i,j)"},   {"jacobi", "tile(t:2,i:4)"},
        {"jacobi", "tile(i:2)"},          {"lu", "tile(i:4,j:4)"},
        {"chain", "tile(i:2,j:3)"},       {"cases", "interchange(j,i)"},
    };
    const struct model_request request = {.operation_limit = 3000};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct loops loops;
        struct error err = {0};
        if (!loops_open(&loops, cases[i][0], &request))
            continue;
        check_fails(loops_check(&loops, cases[i][1], NULL, &err), &err, STATUS_ILLEGAL,
                    "");
        check_ok(loops_check(&loops, "", NULL, &err), &err); /* and goes on after it */
        loops_close(&loops);
    }
}

/* Wherever the operations end: in the order, in the values of scalars, in the code. */
static void no_limit_lets_an_illegal_plan_pass(void)
{
    static const char *const cases[][2] = {{"seidel", "interchange(i,j) unroll_jam(t:2)"},
                                           {"jacobi", "tile(t:2,i:4)"},
                                           {"lu", "unroll_jam(k:2)"},
                                           {"oldstyle", "distribute(i)"}};
    for (unsigned long limit = 500; limit < 500000; limit *= 3)
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
            const struct model_request request = {.operation_limit = limit};
            struct loops loops;
            struct error err = {0};
            if (!loops_open(&loops, cases[i][0], &request))
                continue;
            check_fails(loops_check(&loops, cases[i][1], NULL, &err), &err,
                        STATUS_ILLEGAL, "");
            loops_close(&loops);
        }
}

static void too_complex_is_said(void)
{
    const struct model_request request = {.operation_limit = 3000};
    struct loops loops;
    struct error err = {0};
    if (!loops_open(&loops, "seidel", &request))
        return;
    check_fails(loops_check(&loops, "tile(i:4,j:4,t:2)", NULL, &err), &err,
                STATUS_ILLEGAL, "too complex to decide (over 3000 operations)");
    loops_close(&loops);
}

/* To isl's scheduler, whose work grows with their third power and which counts little of
 * it. */
static void statements_of_one_body_are_one(void)
{
    struct loops loops;
    struct error err = {0};
    if (!loops_open(&loops, "sweep", NULL))
        return;
    unsigned long begin = analysis_effort();
    check_fails(loops_check(&loops, "skew_tile(i:8,j:8)", NULL, &err), &err,
                STATUS_ILLEGAL, "the nest at line 5 cannot be tiled by skewing");
    check(analysis_effort() - begin < 2500000);
    loops_close(&loops);
}

/* Each number is memory: what may be made of them ends with the operations. The other
 * nest has a budget of its own. */
static void numbers_are_limited_too(void)
{
    enum { LIMIT = 300000 };
    const struct model_request request = {.operation_limit = LIMIT};
    struct loops loops;
    struct error err = {0};
    if (!loops_open(&loops, "sweep", &request))
        return;
    unsigned long begin = analysis_effort();
    check_fails(loops_check(&loops, "unroll_jam(i:4)", NULL, &err), &err, STATUS_ILLEGAL,
                ANALYSIS_RAN_OUT " (over 300000 operations)");
    check(analysis_effort() - begin < LIMIT);
    check_ok(loops_check(&loops, "tile(q:4)", NULL, &err), &err);
    loops_close(&loops);
}

CU_TestInfo variants_legal_tests[] = {
    {"what others may reach is tested", what_others_may_reach_is_tested},
    {"clauses, bodies and macros are refused", clauses_bodies_and_macros_are_refused},
    {"illegal plans name the dependence", illegal_plans_name_the_dependence},
    {"plans that name nothing list what there is",
     plans_that_name_nothing_list_what_there_is},
    {"legal plans pass", legal_plans_pass},
    {"trees run everything once", trees_run_everything_once},
    {"independent removes what a loop carries", independent_removes_what_a_loop_carries},
    {"sums are reordered only on request", sums_are_reordered_only_on_request},
    {"overlap is assumed aloud or refused", overlap_is_assumed_aloud_or_refused},
    {"fields may be vouched for", fields_may_be_vouched_for},
    {"wrong assumptions are refused", wrong_assumptions_are_refused},
    {"nothing is accepted when the check cannot finish",
     nothing_is_accepted_when_the_check_cannot_finish},
    {"no limit lets an illegal plan pass", no_limit_lets_an_illegal_plan_pass},
    {"too complex is said", too_complex_is_said},
    {"statements of one body are one", statements_of_one_body_are_one},
    {"numbers are limited too", numbers_are_limited_too},
    {"steps that cannot be done say why", steps_that_cannot_be_done_say_why},
    {"plans that explode are stopped", plans_that_explode_are_stopped},
    CU_TEST_INFO_NULL,
};
