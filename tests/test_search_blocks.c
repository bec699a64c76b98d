/* Block sizes of a matrix product. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/base.h"
#include "search/search.h"
#include "tests/check.h"
#include "tests/test_search_bench.h"

static void shapes_are_the_known_ones(void)
{
    static const struct {
        struct block_machine machine;
        struct block_shape want;
    } table[] = {
        {{1 << 20, 32, 64, 8}, {8, 6, 32, 256, 384, 2048}}, /* AVX-512, 1 MiB */
        {{256 << 10, 16, 32, 8},
         {4, 6, 8, 256, 96, 512}},                    /* AVX2: that of BLIS is 6 x 8 */
        {{0, 16, 32, 4}, {8, 6, 16, 256, 192, 1024}}, /* float, L2 unknown */
        {{1 << 20, 16, 16, 8}, {2, 6, 4, 2048, 48, 256}}, /* SSE2 */
    };
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        struct block_shape got = propose_blocks(&table[i].machine);
        check(got.lanes == table[i].want.lanes);
        check(got.rows == table[i].want.rows);
        check(got.columns == table[i].want.columns);
        check(got.depth == table[i].want.depth);
        check(got.i_blocks == table[i].want.i_blocks);
        check(got.j_blocks == table[i].want.j_blocks);
    }
}

static void what_is_resident_fits(void)
{
    for (double l2 = 16 << 10; l2 <= 4 << 20; l2 *= 2)
        for (long long bytes = 4; bytes <= 8; bytes *= 2) {
            struct block_shape shape =
                propose_blocks(&(struct block_machine){l2, 32, 64, bytes});
            check(shape.i_blocks % shape.rows == 0 && shape.columns % shape.lanes == 0);
            check(shape.j_blocks > 0 && shape.j_blocks % shape.columns == 0);
            check(shape.rows * (shape.columns / shape.lanes) +
                      shape.columns / shape.lanes + 1 <=
                  32);
            check((double)((shape.i_blocks + shape.columns) * shape.depth * bytes) <=
                      l2 ||
                  shape.depth == 32);
        }
}

static void the_plan_names_what_it_is_told(void)
{
    struct block_shape shape = {8, 6, 32, 256, 384, 2048};
    char *plan =
        propose_blocks_plan(&shape, &(struct block_names){"x", "y", "z", "A", "B", "C"});
    check_str(plan, "tile(z:256,y:2048,x:384) tile(y:32,x:6) interchange(z,x,y) "
                    "full(x,y) pack(A,xt) pack(B,yt,y:32) pack(C,xt2) vec(y:8) "
                    "prefetch(C:1)");
    free(plan);
}

static void parts_beside_the_product_get_their_own_loops(void)
{
    static const struct {
        int loop; /* the one that the first access stands in */
        const char *begin;
    } table[] = {{2, "tile(k:"}, {1, "distribute(j) distribute(i) tile(k:"}};
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        struct bench bench = {0};
        space_dgemm(&bench.kernel, 1000);
        bench.kernel.access[0].loop = table[i].loop;
        bench_start(&bench);
        ask(&bench, "pack");
        check(bench.out.nr > 0);
        for (size_t k = 0; k < bench.out.nr; k++)
            check(!strncmp(bench.out.item[k].shape, table[i].begin,
                           strlen(table[i].begin)));
        bench_release(&bench);
    }
}

CU_TestInfo search_blocks_tests[] = {
    {"shapes are the known ones", shapes_are_the_known_ones},
    {"what is resident fits", what_is_resident_fits},
    {"the plan names what it is told", the_plan_names_what_it_is_told},
    {"parts beside the product get their own loops",
     parts_beside_the_product_get_their_own_loops},
    CU_TEST_INFO_NULL,
};
