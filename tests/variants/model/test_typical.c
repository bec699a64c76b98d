#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"
#include "variants/plan/plan.h"

SUITE(variants_typical);

/* for t { for i { for j } ; for i } with a, b of doubles and an index */
static const struct kernel_loop loops[] = {
    {.name = "t", .parent = -1, .modelled = true},
    {.name = "i", .parent = 0, .depth = 1, .modelled = true},
    {.name = "j", .parent = 1, .depth = 2, .modelled = true, .innermost = true},
    {.name = "i", .parent = 0, .depth = 1, .modelled = true, .innermost = true},
    {.name = "while", .parent = -1, .innermost = true},
};
static const struct kernel_array arrays[] = {
    {.name = "a", .element_bytes = 8},
    {.name = "p.x", .element_bytes = 4},
};
static const struct kernel_access accesses[] = {
    {.array = 0, .loop = 2, .access_class = ACCESS_STRIDED},
    {.array = 0, .loop = 3, .access_class = ACCESS_STREAMING, .write = true},
    {.array = 1, .loop = 3, .access_class = ACCESS_INDIRECT},
};
static const long long sizes[] = {8, 16};
static const struct kernel_tunable tunable = {
    .name = "TILE", .value = sizes, .value_nr = 2, .now = 8};

static const struct kernel_view view = {.loop = loops,
                                        .loop_nr = ARRAY_SIZE(loops),
                                        .array = arrays,
                                        .array_nr = ARRAY_SIZE(arrays),
                                        .access = accesses,
                                        .access_nr = ARRAY_SIZE(accesses),
                                        .tunable = &tunable,
                                        .tunable_nr = 1};

TEST("each transformation has its plans")
{
    static const char *const want[][2] = {
        {"tile", "tile(t:32,i:32,j:32)"},
        {"tile", "tile(t:32)"},
        {"tile", "tile(i:32)"},
        {"tile", "tile(j:32)"},
        {"skew_tile", "skew_tile(t:4,i:32,j:32)"},
        {"interchange", "interchange(i,t)"},
        {"interchange", "interchange(j,i)"},
        {"split_borders", NULL},
        {"reverse", "reverse(t)"},
        {"reverse", "reverse(i)"},
        {"reverse", "reverse(j)"},
        {"skew", "skew(i,t:1)"},
        {"skew", "skew(j,i:1)"},
        {"fuse", "fuse(i)"},
        {"distribute", "distribute(t)"},
        {"distribute", "distribute(i)"},
        {"distribute", "distribute(j)"},
        {"unroll_jam", "unroll_jam(t:4)"},
        {"unroll_jam", "unroll_jam(i:4)"},
        {"interleave", NULL},
        {"skip_blocks", "skip_blocks(j:1024)"},
        {"skip_blocks", "skip_blocks(i:1024)"},
        {"unroll", "unroll(j:4)"},
        {"unroll", "unroll(i:4)"},
        {"accumulators", "accumulators(t:4)"},
        {"accumulators", "accumulators(i:4)"},
        {"accumulators", "accumulators(j:4)"},
        {"narrow_counters", "narrow_counters(j:192)"},
        {"narrow_counters", "narrow_counters(i:192)"},
        {"privatize", NULL},
        {"full", "tile(j:32) full(j)"},
        {"full", "tile(i:32) full(i)"},
        {"pack", "tile(t:32,i:32,j:32) pack(a,jt)"},
        {"vec", "vec(j:8)"},
        {"vec", "vec(i:16)"},
        {"pad", NULL},
        {"simd", "simd(j)"},
        {"simd", "simd(i)"},
        {"parallel", "parallel(t)"},
        {"parallel", "parallel(i)"},
        {"parallel", "parallel(j)"},
        {"prefetch", "prefetch(a:16)"},
        {"prefetch", "prefetch(p.x:16)"},
        {"nontemporal", "nontemporal(a)"},
        {"branch_free", "branch_free(j)"},
        {"branch_free", "branch_free(i)"},
        {"reciprocal", NULL},
        {"when", NULL},
        {"set", "set(TILE:16)"},
    };
    struct typical_plan *plans;
    size_t nr = typical_plans(&view, &plans);
    check_eq(nr, ARRAY_SIZE(want));
    for (size_t i = 0; i < nr && i < ARRAY_SIZE(want); i++) {
        check_str(plans[i].transformation, want[i][0]);
        check_str(plans[i].plan ? plans[i].plan : "", want[i][1] ? want[i][1] : "");
        check((plans[i].plan == NULL) == (plans[i].why != NULL));
    }
    typical_plans_free(plans, nr);
}

/* Each transformation is there once at least, and what is proposed can be read. */
TEST("all can be read")
{
    const struct kernel_view empty = {.loop_nr = 0};
    const struct kernel_view *views[] = {&view, &empty};
    size_t table_nr;
    const struct transformation *table = transformations(&table_nr);
    for (size_t v = 0; v < ARRAY_SIZE(views); v++) {
        struct typical_plan *plans;
        size_t nr = typical_plans(views[v], &plans), at = 0;
        for (size_t k = 0; k < table_nr; k++) {
            check(at < nr && !strcmp(plans[at].transformation, table[k].name));
            while (at < nr && !strcmp(plans[at].transformation, table[k].name))
                at++;
        }
        check_eq(at, nr);
        for (size_t i = 0; i < nr; i++) {
            struct plan *plan = NULL;
            struct error err = {0};
            if (plans[i].plan)
                check_ok(plan_parse(plans[i].plan, &plan, &err), &err);
            plan_free(plan);
        }
        typical_plans_free(plans, nr);
    }
}
