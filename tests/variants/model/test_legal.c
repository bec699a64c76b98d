
#include "tests/cases.h"
#include "tests/variants/loop_models.h"
#include "variants/model/tree.h"
#include "variants/transform/steps.h"

SUITE(variants_legal);

/* What the plan makes of the kernel must hold each of these. */
static void check_texts(const struct test_case *one, const char *name, const char *got)
{
    for (size_t i = 0; i < one->part_nr; i++) {
        const char *text = one->part[i].text;
        char *part =
            xasprintf("%.*s", (int)(strlen(text) - !one->part[i].one_line), text);

        if (strcmp(one->part[i].name, name) == 0)
            check_contains_at(got, part, one->name, HERE);
        free(part);
    }
}

static void check_legal(const struct test_case *one, const struct loops *loops,
                        const char *plan)
{
    const char *output = case_part(one, "said"), *lacks = case_part(one, "lacks");
    struct buf rests = {0}, text = {0};
    struct error err = {0};

    if (check_ok_at(loops_check(loops, plan, &rests, &err), &err, one->name, HERE) &&
        check_ok_at(loops_emit(loops, plan, &text, &err), &err, one->name, HERE)) {
        check_texts(one, "rests", buf_str(&rests));
        check_texts(one, "has", buf_str(&text));
        if (lacks && strstr(buf_str(&text), lacks))
            check_str_at(buf_str(&text), lacks, one->name, HERE);
        if (output)
            check_str_at(buf_str(&rests), output, one->name, HERE);
    }
    buf_release(&rests);
    buf_release(&text);
}

/* "reassociate", a flag of the compiler, or what the user vouches for. */
static void judge(const struct test_case *one)
{
    const char *with = case_part(one, "with"), *plan = strstr(one->name, " | ");
    const char *refused = case_part(one, "refused"), *unknown = case_part(one, "unknown");
    struct strvec flags = {0}, assume = {0};
    struct model_request request = {.assume = &assume};
    struct loops loops = {0};
    struct error err = {0};
    char *path;

    if (!check(plan != NULL))
        return;
    path = xasprintf(LOOPS_DATA "/%.*s.c", (int)(plan - one->name), one->name);
    plan += 3;
    request.reassociate = with && strcmp(with, "reassociate") == 0;
    if (with && !request.reassociate)
        strvec_push(*with == '-' ? &flags : &assume, with);
    if (check_ok_at(ir_parse(path, *one->text ? one->text : NULL, 0, NULL, &flags,
                             &loops.function, &err),
                    &err, one->name, HERE)) {
        request.function = loops.function;
        check_ok_at(model_build(&request, &loops.model, &err), &err, one->name, HERE);
    }
    if (loops.model && (refused || unknown))
        check_fails_at(loops_check(&loops, plan, NULL, &err), &err,
                       refused ? STATUS_ILLEGAL : STATUS_USAGE,
                       refused ? refused : unknown, one->name, HERE);
    else if (loops.model)
        check_legal(one, &loops, plan);
    loops_close(&loops);
    strvec_release(&flags);
    strvec_release(&assume);
    free(path);
}

TEST("plans are judged")
{
    struct cases cases;

    cases_read(LOOPS_DATA "/judged.cases", 368, &cases);
    for (size_t i = 0; i < cases.nr; i++)
        judge(&cases.v[i]);
    cases_release(&cases);
}

/* A stencil tiled in time whose loops are then unrolled ends at the limit. */
TEST("plans that explode are stopped")
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

TEST("a refusal for want of operations is none where there are more")
{
    static const char plan[] = "skew_tile(t:4,i:8,j:8)";
    struct loops loops;
    struct error err = {0};
    if (!loops_open(&loops, "heat", NULL))
        return;
    model_limit(loops.model, 2000);
    check_fails(loops_check(&loops, plan, NULL, &err), &err, STATUS_ILLEGAL,
                "too complex to decide (over 2000 operations)");
    error_clear(&err);
    model_limit(loops.model, 3000000);
    check_ok(loops_check(&loops, plan, NULL, &err), &err);
    model_limit(loops.model, 2000); /* what is legal stays so */
    check_ok(loops_check(&loops, plan, NULL, &err), &err);
    loops_close(&loops);
}

/* No step makes such trees. If one ever did, the dependences alone would not tell. */
TEST("trees run everything once")
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

TEST("wrong assumptions are refused")
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

TEST("nothing is accepted when the check cannot finish")
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
TEST("no limit lets an illegal plan pass")
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

TEST("too complex is said")
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
TEST("statements of one body are one")
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
TEST("numbers are limited too")
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
    check(analysis_effort() - begin < 3 * LIMIT); /* numbers an operation: budget.c */
    check_ok(loops_check(&loops, "tile(q:4)", NULL, &err), &err);
    loops_close(&loops);
}
