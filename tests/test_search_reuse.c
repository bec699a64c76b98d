/* What nests and statements share, and how soon stores are loaded again. */
#include <CUnit/CUnit.h>
#include <math.h>

#include "search/reuse.h"
#include "tests/test_search_space.h"

/* Two loops over n elements, one behind the other: a -> b, then b -> c. */
static void neighbouring_nests(void)
{
    struct kernel_array array[] = {{.name = "a", .bytes = 8e6, .element_bytes = 8},
                                   {.name = "b", .bytes = 8e6, .element_bytes = 8},
                                   {.name = "c", .bytes = 8e6, .element_bytes = 8}};
    struct kernel_loop loop[] = {{.name = "i",
                                  .nest = 0,
                                  .parent = -1,
                                  .trips = 1e6,
                                  .innermost = true,
                                  .modelled = true},
                                 {.name = "i",
                                  .nest = 1,
                                  .parent = -1,
                                  .trips = 1e6,
                                  .innermost = true,
                                  .modelled = true}};
    struct kernel_access access[] = {
        {.array = 0, .loop = 0, .stride_at = {8}, .text = "a[i]"},
        {.array = 1, .loop = 0, .stride_at = {8}, .text = "b[i]", .write = true},
        {.array = 1, .loop = 1, .stride_at = {8}, .text = "b[i]"},
        {.array = 2, .loop = 1, .stride_at = {8}, .text = "c[i]", .write = true}};
    struct kernel_view view = {.array = array,
                               .array_nr = 3,
                               .loop = loop,
                               .loop_nr = 2,
                               .access = access,
                               .access_nr = 4};
    struct nest nest;

    nest_find(&view, &nest);
    check_eq(shares_arrays(&view), ANSWER_YES);
    check_near(fuse_ratio(&view), 0.75, 1e-9); /* b once instead of twice */
    check_eq(stores_reused(&nest, quantity_exact(1e6, PROVENANCE_PROBE)), ANSWER_NO);
    check_eq(stores_reused(&nest, quantity_exact(1e8, PROVENANCE_PROBE)), ANSWER_YES);
    check_eq(stores_reused(&nest, quantity_unknown()), ANSWER_UNKNOWN);
    check_eq(
        stores_reused(&nest, quantity_between(1e6, 1e6, INFINITY, 0, PROVENANCE_PROBE)),
        ANSWER_UNKNOWN); /* at least 1 MB */
    access[2].array = 0; /* a -> b, a -> c */
    check_eq(shares_arrays(&view), ANSWER_YES);
    check_eq(stores_reused(&nest, quantity_exact(1e8, PROVENANCE_PROBE)), ANSWER_NO);
    access[0].array = 2; /* c -> b, a -> c */
    access[3].array = 0;
    check_eq(shares_arrays(&view), ANSWER_NO);
    array[0].bytes = -1;
    check(isnan(fuse_ratio(&view)));
    view.loop_nr = 1;
    check_eq(shares_arrays(&view), ANSWER_UNKNOWN);
}

/* b[i] stored in one nest; the next one, whose iterator has another name, loads it there
 * or beside. */
static void fusion_that_forwards(void)
{
    struct kernel_loop loop[] = {{.name = "i", .nest = 0, .parent = -1},
                                 {.name = "k", .nest = 1, .parent = -1}};
    struct kernel_access access[] = {
        {.array = 0, .loop = 0, .stride_at = {8}, .text = "b[i]", .write = true},
        {.array = 0, .loop = 1, .stride_at = {8}, .text = "b[k]"}};
    struct kernel_view view = {
        .loop = loop, .loop_nr = 2, .access = access, .access_nr = 2};

    check_eq(fusion_forwards(&view), ANSWER_NO);
    access[1].text = "b[k - 1]";
    check_eq(fusion_forwards(&view), ANSWER_YES);
    access[1].array = 1;
    check_eq(fusion_forwards(&view), ANSWER_NO);
    view.loop_nr = 1;
    view.access_nr = 1;
    check_eq(fusion_forwards(&view), ANSWER_UNKNOWN);
}

/* x[j][i] stored, x[j][i - 1] loaded; what the dependence says decides. */
static void dependences_tell_how_soon(void)
{
    static const struct {
        const char *dependence;
        enum answer answer;
    } cases[] = {
        {"x[j][i] written at line 4, x[j][i - 1] read at line 5: flow, distance [0, 1]",
         ANSWER_YES},
        {"x[j][i] written at line 4, x[j][i - 1] read at line 5: flow, distance [0, 9]",
         ANSWER_UNKNOWN},
        {"x[j][i] written at line 4, x[j][i - 1] read at line 5: flow, distance [1, 0]",
         ANSWER_UNKNOWN},
        {"x[j][i] written at line 4, x[j][i - 1] read at line 5: flow, distance [0, "
         "1..3]",
         ANSWER_UNKNOWN},
        {"x[j][i - 1] read at line 4, x[j][i] written at line 5: anti, distance [0, 1]",
         ANSWER_UNKNOWN},
    };
    struct kernel_array array = {.name = "x", .bytes = 8e6, .element_bytes = 8};
    struct kernel_loop loop[] = {
        {.name = "j", .parent = -1, .trips = 1e3, .modelled = true},
        {.name = "i", .depth = 1, .trips = 1e3, .innermost = true, .modelled = true}};
    struct kernel_access access[] = {
        {.loop = 1, .stride_at = {8000, 8}, .text = "x[j][i]", .write = true},
        {.loop = 1, .stride_at = {8000, 8}, .text = "x[j][i - 1]"}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct kernel_view view = {.array = &array,
                                   .array_nr = 1,
                                   .loop = loop,
                                   .loop_nr = 2,
                                   .access = access,
                                   .access_nr = 2,
                                   .dependence = &cases[i].dependence,
                                   .dependence_nr = 1};
        struct nest nest;

        nest_find(&view, &nest);
        check_eq(store_forwarding(&nest), cases[i].answer);
    }
}

/* One loop: b[i] stored, and what is loaded. */
static void stores_that_are_loaded_soon(void)
{
    struct kernel_array array[] = {{.name = "a", .bytes = 8e6, .element_bytes = 8},
                                   {.name = "b", .bytes = 8e6, .element_bytes = 8}};
    struct kernel_loop loop = {
        .name = "i", .parent = -1, .trips = 1e6, .innermost = true, .modelled = true};
    struct kernel_access access[] = {
        {.array = 1, .stride_at = {8}, .text = "b[i]", .write = true},
        {.array = 0, .stride_at = {8}, .text = "a[i]"}};
    struct kernel_view view = {.array = array,
                               .array_nr = 2,
                               .loop = &loop,
                               .loop_nr = 1,
                               .access = access,
                               .access_nr = 2};
    struct nest nest;

    nest_find(&view, &nest);
    check_eq(store_forwarding(&nest), ANSWER_NO);
    access[1] = (struct kernel_access){.array = 1, .stride_at = {8}, .text = "b[i]"};
    check_eq(store_forwarding(&nest), ANSWER_NO); /* b[i] += ... */
    access[1].text = "b[i - 1]";
    check_eq(store_forwarding(&nest), ANSWER_UNKNOWN);
    check_near(statement_groups(&nest), 1, 0);
    access[1] = (struct kernel_access){
        .array = 0, .stride_at = {8}, .text = "a[i]", .write = true};
    check(isnan(statement_groups(&nest)));
    check_near(reused_bytes(&nest, 64), 0, 0);
    access[1].stride_at[0] = NAN;
    check(isnan(reused_bytes(&nest, 64)));
}

CU_TestInfo search_reuse_tests[] = {
    {"neighbouring nests", neighbouring_nests},
    {"fusion that forwards", fusion_that_forwards},
    {"dependences tell how soon", dependences_tell_how_soon},
    {"stores that are loaded soon", stores_that_are_loaded_soon},
    CU_TEST_INFO_NULL,
};
