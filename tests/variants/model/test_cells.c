
#include "core/base/buf.h"
#include "tests/variants/loop_models.h"
#include "variants/model/loop_view.h"

SUITE(variants_cells);

/* Kernels of tests/data/model; which plans are legal there is in gen/judged.cases. */

static bool has(const char *const *list, size_t nr, const char *part)
{
    for (size_t i = 0; i < nr; i++)
        if (strstr(list[i], part))
            return true;
    return false;
}

/* ---- what shares bytes ---- */

TEST("fields are arrays of their own")
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

TEST("what is back after a few steps stays where it is")
{
    struct loops loops;
    if (!loops_open(&loops, "../model/pingpong", NULL))
        return;
    model_measure(loops.model, &(struct model_values){.nr = 0});
    struct model_view view = model_view(loops.model);
    check_eq(view.access_nr, 3);
    for (size_t i = 0; i < view.access_nr; i++) {
        check_near(view.access[i].stride_at[0], 0, 0);
        check_near(view.access[i].stride_at[1], 8, 0);
    }
    loops_close(&loops);
}

TEST("fields of one struct are variables")
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

TEST("local arrays belong to an iteration")
{
    struct loops loops;
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

/* ---- control ---- */

TEST("data-dependent control is one statement")
{
    struct loops loops;
    if (!loops_open(&loops, "../model/inside", NULL))
        return;
    struct model_view view = model_view(loops.model);
    check(view.loop[0].modelled && !view.loop[0].why);
    check_str(view.loop[1].why,
              "part of one statement: its counter is not moved once, by a constant, in "
              "each iteration, as by i++ at the end of the body");
    check_contains(view.loop[2].why, "break or continue in the loop");
    loops_close(&loops);
}

TEST("what is left alone says why")
{
    static const char *const parts[] = {
        "line 6: 'total' may change memory that the nest uses",
        "line 7: the step is not a constant; give it a value",
        "line 10: '#pragma omp critical' stands in what would be changed",
        ("line 15: a switch statement (one whose cases each end in break, the default "
         "last, or if and else are read) in a loop"),
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

TEST("conversions are assumed and tested")
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
    check(has(view.refusal, view.refusal_nr,
              "line 9: it would rest on something impossible: what is compared with an "
              "unsigned "
              "number at line 9 is not negative"));
    check_ok(loops_emit(&loops, "tile(i:4)", &text, &err), &err);
    check_contains(buf_str(&text), "n >= 2");
    check_contains(buf_str(&text), "} else {");
    buf_release(&text);
    loops_close(&loops);
}

/* ---- force ---- */

TEST("forced plans are refused and emitted")
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
