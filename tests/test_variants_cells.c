#include <CUnit/CUnit.h>

#include "tests/test_variants_loops.h"

/* Kernels of tests/data/model; what a plan comes to on them. */
struct verdict {
    const char *kernel, *plan;
    const char *part; /* NULL = legal; else of the refusal */
};

static void each_verdict(const struct verdict *cases, size_t nr,
                         const struct model_request *request)
{
    for (size_t i = 0; i < nr; i++) {
        struct loops loops;
        struct error err = {0};
        char *name = xasprintf("../model/%s", cases[i].kernel);
        if (loops_open(&loops, name, request)) {
            int status = loops_check(&loops, cases[i].plan, NULL, &err);
            if (cases[i].part)
                check_fails(status, &err, STATUS_ILLEGAL, cases[i].part);
            else
                check_ok(status, &err);
        }
        loops_close(&loops);
        free(name);
    }
}

static bool has(const char *const *list, size_t nr, const char *part)
{
    for (size_t i = 0; i < nr; i++)
        if (strstr(list[i], part))
            return true;
    return false;
}

/* ---- what shares bytes ---- */

static void fields_are_independent_unless_they_share_bytes(void)
{
    static const struct verdict cases[] = {
        {"fields", "parallel(i)", NULL},
        {"fields", "simd", NULL},
        {"nested", "interchange(k,i)", NULL},
        {"nested", "parallel(i)", NULL},
        {"unions", "parallel(i)", "u[i].real written at line 9"},
        {"unions", "simd", "u[i - 1].bits"},
        {"bitfields", "parallel(i)", "f[i].low written at line 8"},
        {"copies", "parallel(i)", "z[i] written at line 9 is read as z[i - 1].x"},
        {"copies", "simd", "z[i] written"},
        {"clash", "parallel(i)", "p[i].x written at line 8 is read as p->x"},
    };
    each_verdict(cases, ARRAY_SIZE(cases), NULL);
}

static void fields_are_arrays_of_their_own(void)
{
    struct loops loops;
    if (!loops_open(&loops, "../model/nested", NULL))
        return;
    struct model_view view = model_view(loops.model);
    check_eq(view.array_nr, 2);
    check_str(view.array[0].name, "p.force.c");
    check_str(view.array[0].path, ".force.c");
    check_eq(view.array[0].record_bytes, 56);
    check_eq(view.array[0].record_offset, 24);
    check_eq(view.array[0].record_elements, 3);
    check_eq(view.array[0].element_bytes, 8);
    check(view.array[0].written && !view.array[1].written);
    check_str(view.access[0].text, "p[i].pos.c[k]");
    check_near(view.access[0].stride_bytes, 8, 0);
    model_measure(loops.model, &(struct model_values){.nr = 0});
    check_near(model_view(loops.model).access[0].stride_at[0], 56, 0);
    check_eq(view.record_nr, 1);
    check_str(view.record[0].fields, "pos.c, force.c");
    check_eq(view.record[0].used_bytes, 48);
    check_eq(view.record[0].record_bytes, 56);
    loops_close(&loops);
}

static void fields_of_one_struct_are_variables(void)
{
    struct loops loops;
    struct error err = {0};
    if (!loops_open(&loops, "../model/grid", NULL))
        return;
    struct model_view view = model_view(loops.model);
    struct buf rests = {0};
    check_str(view.loop[1].upper_text, "g->ny");
    check_ok(loops_check(&loops, "interchange(j,i)", &rests, &err), &err);
    check_contains(buf_str(&rests),
                   "'mark' and 'g->nx' do not overlap (tested at run time");
    buf_release(&rests);
    loops_close(&loops);
}

/* ---- private to an iteration ---- */

static void local_arrays_belong_to_an_iteration(void)
{
    static const struct verdict cases[] = {
        {"temporary", "parallel(i)", NULL},
        {"temporary", "tile(i:8)", NULL},
        {"temporary", "unroll(k:4)", NULL},
        {"temporary", "distribute(i)", "'t' would need one copy for every iteration"},
        {"temporary", "parallel(k)", "s written at line 9"},
        {"disguised", "parallel(i)", NULL},
    };
    struct loops loops;
    each_verdict(cases, ARRAY_SIZE(cases), NULL);
    if (!loops_open(&loops, "../model/disguised", NULL))
        return;
    struct model_view view = model_view(loops.model);
    check(view.temporary_nr == 1 && !strcmp(view.temporary[0], "t"));
    loops_close(&loops);
    if (!loops_open(&loops, "../model/temporary", NULL))
        return;
    view = model_view(loops.model);
    check_eq(view.temporary_nr, 0); /* t[3 - k] is read in another iteration of k */
    loops_close(&loops);
}

/* With value-based dependences only the last addition would feed the use. */
static void the_use_of_a_sum_stays_behind_all_of_it(void)
{
    static const struct verdict cases[] = {
        {"sums", "fuse(i)", "s written at line 6 is read as s at line 8"},
        {"sums", "tile(r:32,i:32)", "s written"},
    };
    const struct model_request request = {.reassociate = true};
    each_verdict(cases, ARRAY_SIZE(cases), &request);
}

/* ---- control ---- */

static void conditions_are_exact(void)
{
    static const struct verdict cases[] = {
        {"redblack", "parallel(i)", NULL},
        {"redblack", "interchange(j,i)", NULL},
        {"conditions", "parallel(j)", NULL},
        {"conditions", "interchange(j,i)", "a[i][j] written at line 8"},
        {"conditions", "parallel(i)", "distance [1.., ..-1]"},
    };
    each_verdict(cases, ARRAY_SIZE(cases), NULL);
}

static void data_dependent_control_is_one_statement(void)
{
    static const struct verdict cases[] = {
        {"csr", "tile(i:4)", NULL},    {"csr", "parallel(i)", NULL},
        {"csr", "unroll(i:4)", NULL},  {"inside", "parallel(i)", NULL},
        {"inside", "tile(i:4)", NULL},
    };
    struct loops loops;
    each_verdict(cases, ARRAY_SIZE(cases), NULL);
    if (!loops_open(&loops, "../model/inside", NULL))
        return;
    struct model_view view = model_view(loops.model);
    check(view.loop[0].modelled && !view.loop[0].why);
    check_str(view.loop[1].why, "part of one statement: it is a while loop");
    check_contains(view.loop[2].why, "break or continue in the loop");
    loops_close(&loops);
}

static void what_is_left_alone_says_why(void)
{
    static const char *const parts[] = {
        "line 6: 'total' may change memory that the nest uses",
        "line 7: the step is not a constant; give it a value",
        "line 11: an OpenMP loop is left as it is",
        "line 15: a switch statement in a loop",
    };
    struct loops loops;
    struct error err = {0};
    if (!loops_open(&loops, "../model/reasons", NULL))
        return;
    struct model_view view = model_view(loops.model);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (!check(has(view.refusal, view.refusal_nr, parts[i])))
            check_str(i < view.refusal_nr ? view.refusal[i] : "", parts[i]);
    for (size_t i = 0; i < view.loop_nr; i++)
        check(!view.loop[i].modelled && view.loop[i].why != NULL);
    loops_close(&loops);
    if (!loops_open(&loops, "../model/pure", NULL))
        return;
    check_ok(loops_check(&loops, "simd", NULL, &err), &err);
    loops_close(&loops);
}

/* ---- numbers that are not as in mathematics ---- */

static void conversions_are_assumed_and_tested(void)
{
    static const char *const parts[] = {
        "unsigned subtraction at line 5 does not wrap around (tested at run time)",
        "the loop over i at line 11 ends",
    };
    struct loops loops;
    struct error err = {0};
    struct buf text = {0};
    if (!loops_open(&loops, "../model/wraps", NULL))
        return;
    struct model_view view = model_view(loops.model);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        check(has(view.assumption, view.assumption_nr, parts[i]));
    check(!has(view.assumption, view.assumption_nr, "cast")); /* it never holds */
    check(
        has(view.refusal, view.refusal_nr,
            "line 9: it would rest on what cannot be: what is compared with an unsigned "
            "number at line 9 is not negative"));
    check_ok(loops_emit(&loops, "tile(i:4)", &text, &err), &err);
    check_contains(buf_str(&text), "n >= 2");
    check_contains(buf_str(&text), "} else {");
    buf_release(&text);
    loops_close(&loops);
}

/* ---- force ---- */

static void forced_plans_are_refused_and_emitted(void)
{
    const struct model_request request = {.force = true};
    struct loops loops;
    struct error err = {0};
    struct buf text = {0};
    if (!loops_open(&loops, "seidel", &request))
        return;
    check_fails(loops_check(&loops, "interchange(j,i) tile(t:2,i:4)", NULL, &err), &err,
                STATUS_ILLEGAL, "is not legal");
    err = (struct error){0};
    check_ok(loops_emit(&loops, "tile(i:4,j:4,t:2)", &text, &err), &err);
    check_contains(buf_str(&text), "it += 4");
    check_fails(loops_check(&loops, "tile(i:4,j:4,t:2)", NULL, &err), &err,
                STATUS_ILLEGAL, "a[i][j] written at line 7");
    buf_release(&text);
    loops_close(&loops);
}

CU_TestInfo variants_cells_tests[] = {
    {"fields are independent unless they share bytes",
     fields_are_independent_unless_they_share_bytes},
    {"fields are arrays of their own", fields_are_arrays_of_their_own},
    {"fields of one struct are variables", fields_of_one_struct_are_variables},
    {"local arrays belong to an iteration", local_arrays_belong_to_an_iteration},
    {"the use of a sum stays behind all of it", the_use_of_a_sum_stays_behind_all_of_it},
    {"conditions are exact", conditions_are_exact},
    {"data-dependent control is one statement", data_dependent_control_is_one_statement},
    {"what is left alone says why", what_is_left_alone_says_why},
    {"conversions are assumed and tested", conversions_are_assumed_and_tested},
    {"forced plans are refused and emitted", forced_plans_are_refused_and_emitted},
    CU_TEST_INFO_NULL,
};
