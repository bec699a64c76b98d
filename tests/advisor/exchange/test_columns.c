#include <stdlib.h>
#include <string.h>

#include "advisor/exchange/plan_columns.h"
#include "tests/check.h"

SUITE(advisor_columns);

enum { PLANS_MAX = 16 };

/* Every row gives its plan again, and no two are alike. */
static void check_lossless(const char *const *plan, size_t nr,
                           const struct plan_columns *columns)
{
    json_t *row[PLANS_MAX];

    for (size_t i = 0; i < nr; i++) {
        row[i] = plan_columns_row(columns, plan[i]);
        char *back = plan_of_row(row[i]);
        check_str(back, plan[i]);
        free(back);
        for (size_t k = 0; k < i; k++)
            check(!json_equal(row[i], row[k]));
    }
    for (size_t i = 0; i < nr; i++)
        json_decref(row[i]);
}

static const char *row_text(const struct plan_columns *columns, const char *plan)
{
    static char text[512];
    json_t *row = plan_columns_row(columns, plan);
    char *dump = json_dumps(row, 0);

    snprintf(text, sizeof(text), "%s", dump);
    free(dump);
    json_decref(row);
    return text;
}

TEST("steps become columns")
{
    static const char *const plan[] = {
        "",
        "tile(i:64,j:32) unroll_jam(i:4) simd",
        "interchange(i,k,j) tile(j:16) prefetch(a:16,to:L2) prefetch(b:8)",
        "tile(i:64,k:8,j:32) simd parallel(it,schedule:dynamic,chunk:4)",
        "prefetch(a:2,at:i) nontemporal(c,d)",
        "fuse(i,i2,shift:1) distribute(k) distribute(j) unroll(j:4)",
    };
    struct plan_columns columns;

    plan_columns_find(plan, ARRAY_SIZE(plan), &columns);
    check_eq(columns.whole_nr, 0);
    check_str(
        row_text(&columns, plan[1]),
        "{\"fuse\": \"none\", \"distribute\": \"none\", \"order\": \"as_written\", "
        "\"tile_i\": 64, \"tile_k\": 0, \"tile_j\": 32, \"jam_i\": 4, \"unroll_j\": "
        "0, \"simd\": 1, \"parallel\": \"none\", \"prefetch_a\": \"none\", "
        "\"prefetch_b\": 0, \"nontemporal_c\": 0, \"nontemporal_d\": 0}");
    check_contains(row_text(&columns, plan[2]), "\"order\": \"i>k>j\"");
    check_contains(row_text(&columns, plan[2]), "\"prefetch_a\": \"16;to:L2\"");
    check_contains(row_text(&columns, plan[3]),
                   "\"parallel\": \"it;schedule:dynamic;chunk:4\"");
    check_contains(row_text(&columns, plan[5]), "\"distribute\": \"k+j\"");
    check_lossless(plan, ARRAY_SIZE(plan), &columns);
    plan_columns_release(&columns);
}

/* The order within a step is that of the loops, where the plan orders them. */
TEST("the order of tiles follows that of loops")
{
    static const char *const plan[] = {
        "tile(i:64,j:32)",
        "interchange(j,i) tile(j:32,i:64)",
        "interchange(j,i) tile(j:32,i:64) unroll_jam(j:2,i:4)",
        "unroll_jam(i:4,j:2)",
        "interchange(k,j) tile(i:64,k:16,j:32)",
    };
    struct plan_columns columns;

    plan_columns_find(plan, ARRAY_SIZE(plan), &columns);
    check_eq(columns.whole_nr, 0);
    check_lossless(plan, ARRAY_SIZE(plan), &columns);
    plan_columns_release(&columns);
}

/* Neither the columns' order nor the loops' says it then. */
TEST("orders have columns where they must")
{
    static const char *const plan[] = {
        "tile(i:64,j:32)",
        "tile(j:32,i:64)",
        "tile(i:8)",
        "unroll_jam(i:4,j:2) simd",
    };
    struct plan_columns columns;

    plan_columns_find(plan, ARRAY_SIZE(plan), &columns);
    check_eq(columns.whole_nr, 0);
    check_str(row_text(&columns, plan[1]),
              "{\"order_tile\": \"j>i\", \"tile_i\": 64, \"tile_j\": 32, \"jam_i\": 0, "
              "\"jam_j\": 0, \"simd\": 0}");
    check_contains(row_text(&columns, plan[2]), "\"order_tile\": \"none\"");
    check_lossless(plan, ARRAY_SIZE(plan), &columns);
    plan_columns_release(&columns);
}

/* What no columns can say stands as it is. */
TEST("other plans stand whole")
{
    static const char *const plan[] = {
        "tile(i:64,j:32)",
        "tile(i:64) tile(j:32)",         /* one after the other */
        "simd tile(i:64)",               /* in another order */
        "pack(B,kt,j:32) vec(j:8) simd", /* no columns for these */
        "parallel(none)",                /* looks like none */
        "simd",
    };
    struct plan_columns columns;

    plan_columns_find(plan, ARRAY_SIZE(plan), &columns);
    check_eq(columns.whole_nr, 4);
    check_str(row_text(&columns, plan[0]),
              "{\"tile_i\": 64, \"tile_j\": 32, \"simd\": 0, \"other\": \"none\"}");
    check_str(row_text(&columns, plan[1]),
              "{\"tile_i\": 0, \"tile_j\": 0, \"simd\": 0, \"other\": "
              "\"tile(i:64) tile(j:32)\"}");
    check_lossless(plan, ARRAY_SIZE(plan), &columns);
    plan_columns_release(&columns);
}

/* Of a tunable every value may be meant, also 0. */
TEST("settings tell 0 from none")
{
    static const char *const some[] = {"", "set(PAD:0)", "set(PAD:8,T:-4)",
                                       "set(PAD:8) simd"};
    static const char *const all[] = {"set(PAD:0)", "set(PAD:8)"};
    struct plan_columns columns;

    plan_columns_find(some, ARRAY_SIZE(some), &columns);
    check_str(row_text(&columns, some[1]),
              "{\"set_PAD\": \"0\", \"set_T\": \"as_written\", \"simd\": 0}");
    check_lossless(some, ARRAY_SIZE(some), &columns);
    plan_columns_release(&columns);
    plan_columns_find(all, ARRAY_SIZE(all), &columns);
    check_str(row_text(&columns, all[0]), "{\"set_PAD\": 0}");
    check_lossless(all, ARRAY_SIZE(all), &columns);
    plan_columns_release(&columns);
}

/* Names of columns are fit for programs; those of arrays need not be. */
TEST("fields have names for programs")
{
    static const char *const plan[] = {"prefetch(p.x:16) prefetch(g->v:8)",
                                       "prefetch(a_dot_b:4)", "nontemporal(p.x)"};
    struct plan_columns columns;

    plan_columns_find(plan, ARRAY_SIZE(plan), &columns);
    check_str(
        row_text(&columns, plan[0]),
        "{\"prefetch_p_dot_x\": 16, \"prefetch_g_at_v\": 8, \"nontemporal_p_dot_x\": "
        "0, \"other\": \"none\"}");
    check_eq(columns.whole_nr, 1);
    check_lossless(plan, ARRAY_SIZE(plan), &columns);
    plan_columns_release(&columns);
    check(plan_is_column("tile_i") && plan_is_column("other") && plan_is_column("simd"));
    check(!plan_is_column("tile_") && !plan_is_column("block_size_x"));
}

TEST("a row of others gives no plan")
{
    json_t *row =
        json_pack("{s:i, s:s, s:b}", "block_size_x", 32, "layout", "row", "pad", 1);
    char *plan = plan_of_row(row);

    check_str(plan, "");
    free(plan);
    json_decref(row);
}
