
#include "tests/variants/loop_models.h"
#include "variants/model/loop_view.h"

SUITE(variants_model);

static const struct ir_symbol *symbol(const struct loops *loops, const char *name)
{
    for (size_t i = 0; i < loops->function->symbol_nr; i++)
        if (!strcmp(loops->function->symbol[i]->name, name))
            return loops->function->symbol[i];
    return NULL;
}

static int array(const struct model_view *view, const char *name)
{
    for (size_t i = 0; i < view->array_nr; i++)
        if (!strcmp(view->array[i].name, name))
            return (int)i;
    return -1;
}

static bool has(const char *const *list, size_t nr, const char *part)
{
    for (size_t i = 0; i < nr; i++)
        if (strstr(list[i], part))
            return true;
    return false;
}

/* ---- the view ---- */

TEST("loops and accesses of gemm")
{
    struct loops loops;
    if (!loops_open(&loops, "gemm", NULL))
        return;
    struct model_view view = model_view(loops.model);
    check_eq(view.loop_nr, 3);
    check_str(view.loop[2].name, "k");
    check_eq(view.loop[2].depth, 2);
    check_eq(view.loop[2].parent, 1);
    check(view.loop[2].innermost && view.loop[2].modelled && !view.loop[0].innermost);
    check_str(view.loop[0].upper_text, "n");
    check_eq(view.access_nr, 4);
    check_str(view.access[0].text, "a[i][k]");
    check_eq(view.access[0].access_class, ACCESS_STREAMING);
    check_near(view.access[0].stride_bytes, 8, 0);
    check_eq(view.access[1].access_class, ACCESS_STRIDED);
    check_eq(view.access[2].access_class, ACCESS_INVARIANT);
    check(has(
        view.dependence, view.dependence_nr,
        "c[i][j] written at line 7, c[i][j] read at line 7: flow, distance [0, 0, 1]"));
    check(view.array[array(&view, "c")].written &&
          !view.array[array(&view, "a")].written);
    check_str(view.array[array(&view, "c")].extent_text, "n x n");
    loops_close(&loops);
}

TEST("value-based distances")
{
    struct loops loops;
    if (!loops_open(&loops, "seidel", NULL))
        return;
    struct model_view view = model_view(loops.model);
    check(has(view.dependence, view.dependence_nr,
              "a[i - 1][j] read at line 7: flow, distance [0, 1, 0]"));
    check(has(view.dependence, view.dependence_nr, ": anti, distance"));
    loops_close(&loops);
}

TEST("indirect accesses name their index")
{
    struct loops loops;
    if (!loops_open(&loops, "scatter", NULL))
        return;
    struct model_view view = model_view(loops.model);
    size_t found = 0;
    for (size_t i = 0; i < view.access_nr; i++) {
        if (view.access[i].access_class != ACCESS_INDIRECT)
            continue;
        found++;
        check_eq(view.access[i].through, array(&view, "p"));
    }
    check_eq(found, 3); /* a[q] read and written, y[p[j]] */
    check(view.array[array(&view, "a")].indirect);
    loops_close(&loops);
}

/* The subscript of a probe is made of scalars: `at` of `key` of p[i]. */
TEST("indirect through scalars, too")
{
    struct loops loops;
    if (!loops_open(&loops, "probe", NULL))
        return;
    struct model_view view = model_view(loops.model);
    size_t found = 0;
    for (size_t i = 0; i < view.access_nr; i++) {
        if (view.access[i].array != array(&view, "x"))
            continue;
        found++;
        check_eq(view.access[i].access_class, ACCESS_INDIRECT);
        check_eq(view.access[i].through, array(&view, "p"));
    }
    check_eq(found, 2);
    loops_close(&loops);
}

TEST("what cannot be modelled is refused with its line")
{
    static const char *const parts[] = {
        "line 8: 'other' may change memory that the nest uses",
        "line 9: break or continue in the loop",
        "line 14: 'rows' is used without its subscripts",
        "line 16: 'seen' is volatile",
        "line 17: the loop does not have the form",
        "line 20: a bound is read from memory that the loop may change: 'p'",
    };
    struct loops loops;
    if (!loops_open(&loops, "refused/refused", NULL))
        return;
    struct model_view view = model_view(loops.model);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (!check(has(view.refusal, view.refusal_nr, parts[i])))
            check_str(i < view.refusal_nr ? view.refusal[i] : "", parts[i]);
    size_t modelled = 0;
    for (size_t i = 0; i < view.loop_nr; i++)
        modelled += view.loop[i].modelled;
    check_eq(modelled, 1); /* the last nest */
    loops_close(&loops);
}

/* ---- counts ---- */

static struct model_counts counts_at(const struct loops *loops, long long n)
{
    const struct model_value value = {symbol(loops, "n"), n};
    const struct model_values values = {&value, 1};
    return model_measure(loops->model, &values);
}

TEST("rectangular counts need no walk")
{
    struct loops loops;
    if (!loops_open(&loops, "gemm", NULL))
        return;
    struct model_counts counts = counts_at(&loops, 1000000000);
    check_near(counts.iterations.value, 1e27, 1e-12);
    check_near(counts.accesses.value, 4e27, 1e-12);
    check_near(counts.bytes.value, 32e27, 1e-12);
    check_near(counts.flops.value, 2e27, 1e-12);
    check_eq(counts.flops.provenance, PROVENANCE_SOURCE);
    check_near(model_view(loops.model).loop[2].trips, 1e9, 0);
    check_near(model_view(loops.model).access[1].stride_bytes, 8e9, 0);
    loops_close(&loops);
}

TEST("triangular and strided counts")
{
    struct loops loops;
    if (!loops_open(&loops, "trmm", NULL))
        return;
    /* sum over i of n * (n - 1 - i) = n * n * (n - 1) / 2 */
    check_near(counts_at(&loops, 100).iterations.value, 100.0 * 100 * 99 / 2, 0);
    check_near(counts_at(&loops, 100).flops.value, 100.0 * 100 * 99, 0);
    check_near(counts_at(&loops, 1).iterations.value, 0, 0);
    loops_close(&loops);
    if (!loops_open(&loops, "down", NULL))
        return;
    /* 10 rows of 5 odd columns, then i = 9 6 3 with i columns each */
    check_near(counts_at(&loops, 10).iterations.value, 50 + 18, 0);
    check_near(counts_at(&loops, 10).accesses.value, 50 * 4 + 18 * 3, 0);
    check_near(counts_at(&loops, 10).flops.value, 50 * 3 + 18, 0);
    loops_close(&loops);
}

TEST("what ifs leave out at borders is not counted, and not walked")
{
    struct loops loops;
    if (!loops_open(&loops, "guarded", NULL))
        return;
    for (long long n = 1; n <= 100000; n *= 10) {
        double pairs = 3 * (double)n - 2; /* of a place and its neighbour, in one row */
        check_near(counts_at(&loops, n).iterations.value, 9.0 * (double)n * (double)n, 0);
        check_near(counts_at(&loops, n).flops.value, pairs * pairs, 0);
    }
    loops_close(&loops);
}

TEST("counts that depend on data are unknown")
{
    struct loops loops;
    if (!loops_open(&loops, "rows", NULL))
        return;
    struct model_counts counts = counts_at(&loops, 10);
    check(!counts.iterations.known && !counts.flops.known && !counts.accesses.known);
    loops_close(&loops);
}

TEST("accesses through a pointer that walks are unknown, not none")
{
    struct loops loops;

    if (!loops_open(&loops, "walking", NULL))
        return;
    check(!counts_at(&loops, 10).accesses.known);
    loops_close(&loops);
}

/* ---- extents ---- */

static bool no_more_than_n(void *data, int index, long long *low, long long *high)
{
    (void)index;
    *low = 0;
    *high = *(long long *)data - 1;
    return true;
}

TEST("extents at sizes")
{
    static const struct {
        const char *kernel, *array;
        long long size[2];
    } cases[] = {
        {"gemm", "a", {50, 50}},   {"linear", "b", {2500, 0}}, {"scatter", "a", {50, 0}},
        {"overlap", "x", {50, 0}}, {"overlap", "y", {49, 0}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        long long n = 50, size[8] = {0};
        struct loops loops;
        struct error err = {0};
        if (!loops_open(&loops, cases[i].kernel, NULL))
            continue;
        struct model_view view = model_view(loops.model);
        const struct model_value value = {symbol(&loops, "n"), n};
        const struct model_values values = {&value, 1};
        const struct model_contents contents = {no_more_than_n, &n};
        check_ok(model_extent(loops.model, array(&view, cases[i].array), &values,
                              &contents, size, &err),
                 &err);
        check_eq(size[0], cases[i].size[0]);
        check_eq(size[1], cases[i].size[1]);
        loops_close(&loops);
    }
}

TEST("unknown extents say what to add")
{
    struct loops loops;
    struct error err = {0};
    long long size[8];
    if (!loops_open(&loops, "scatter", NULL))
        return;
    struct model_view view = model_view(loops.model);
    const struct model_value value = {symbol(&loops, "n"), 50};
    const struct model_values values = {&value, 1};
    check_fails(model_extent(loops.model, array(&view, "a"), &values, NULL, size, &err),
                &err, STATUS_INPUT, "#pragma inflight buffer p = index(");
    loops_close(&loops);
}
