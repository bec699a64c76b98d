/* Block sizes of a matrix product. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/propose/propose_blocks.h"
#include "tests/check.h"
#include "tests/search/choices.h"
#include "tests/search/workbench.h"

SUITE(search_blocks);

TEST("shapes are the known ones")
{
    static const struct {
        struct block_machine machine;
        struct block_shape want;
    } table[] = {
        {{1 << 20, 32, 64, 8, false}, {8, 6, 32, 256, 384, 2048}}, /* AVX-512, 1 MiB */
        {{256 << 10, 16, 32, 8, false},
         {4, 6, 8, 256, 96, 512}}, /* AVX2: that of BLIS is 6 x 8 */
        {{0, 16, 32, 4, false}, {8, 6, 16, 256, 192, 1024}},      /* float, L2 unknown */
        {{1 << 20, 16, 16, 8, false}, {2, 6, 4, 2048, 48, 256}},  /* SSE2 */
        {{1 << 20, 32, 64, 8, true}, {8, 4, 32, 256, 384, 2048}}, /* a triangle */
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

TEST("what is resident fits")
{
    for (double l2 = 16 << 10; l2 <= 4 << 20; l2 *= 2)
        for (long long bytes = 4; bytes <= 8; bytes *= 2) {
            struct block_shape shape =
                propose_blocks(&(struct block_machine){l2, 32, 64, bytes, false});
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

TEST("the plan names what it is told")
{
    struct block_shape shape = {8, 6, 32, 256, 384, 2048};
    char *plan = propose_blocks_plan(
        &shape, &(struct block_names){
                    "x", "y", "z", {"A", "D"}, {"B", "A"}, "C", "distribute(y) "});
    check_str(plan, "tile(z:256,y:2048,x:384) tile(y:32,x:6) distribute(y) "
                    "interchange(z,x,y) full(x,y) pack(A,xt) pack(D,xt) "
                    "pack(B,yt,y:32) pack(A,yt,y:32) pack(C,xt2) vec(y:8) "
                    "prefetch(C:1)");
    free(plan);
}

/* They run in the first of the product's tiles; where that is not legal, before it. */
TEST("parts beside the product get their own loops")
{
    static const char split[] = "distribute(j) distribute(i) ";
    struct bench bench = {0};
    space_dgemm(&bench.kernel, 4000);
    bench_start(&bench);
    ask(&bench, "pack");
    for (size_t i = 0; i < bench.out.nr; i++)
        check(!choice_holds(&bench.out.item[i], split));
    bench.kernel.access[0].loop = 1;
    bench.kernel.loop[1].perfect = false;
    ask(&bench, "pack");
    size_t found = 0;
    for (size_t i = 0; i + 1 < bench.out.nr; i++) {
        const struct choice *first = &bench.out.item[i], *second = first + 1;
        char *text = choice_text(first);
        if (!strncmp(text, "tile(k", 6)) {
            found++;
            check(strstr(text, split) > strstr(text, " tile("));
            check(!first->fallback && second->fallback);
            check(choice_begins(second, split));
        }
        free(text);
    }
    check(found > 2);
    bench_release(&bench);
}

#define BLOCKS "tile(k:256,j:2048,i:384) tile(j:32,i:6) interchange(k,i,j) full(i,j) "

#define FIRST                                                                            \
    "nest(1) " BLOCKS "pack(A,it) pack(B,jt,j:32) pack(C,it2) vec(j:8) prefetch(C:1)"
#define SECOND                                                                           \
    "nest(2) " BLOCKS "pack(C,it) pack(E,jt,j:32) pack(D,it2) vec(j:8) prefetch(D:1)"

/* D[i][j] += C[i][k] * E[k][j] behind the first product. */
static void add_second_product(struct bench *bench, struct kernel_loop loop[6],
                               struct kernel_access access[8],
                               struct kernel_array array[5])
{
    for (int i = 0; i < 6; i++) {
        loop[i] = bench->kernel.loop[i % 3];
        loop[i].nest = i / 3;
        loop[i].parent = i % 3 ? i - 1 : -1;
    }
    for (int i = 0; i < 8; i++) {
        access[i] = bench->kernel.access[i % 4];
        access[i].loop = i < 4 ? 2 : 5;
    }
    memcpy(array, bench->kernel.array, sizeof(bench->kernel.array));
    array[3] = array[0];
    array[3].name = "D";
    array[4] = array[2];
    array[4].name = "E";
    access[4].array = access[5].array = 3;
    access[6].array = 0;
    access[7].array = 4;
    bench->kernel.view.loop = loop;
    bench->kernel.view.loop_nr = 6;
    bench->kernel.view.access = access;
    bench->kernel.view.access_nr = 8;
    bench->kernel.view.array = array;
    bench->kernel.view.array_nr = 5;
}

/* Each has arrays of its own. */
TEST("products one behind the other are packed together")
{
    struct bench bench = {0};
    struct kernel_loop loop[6];
    struct kernel_access access[8];
    struct kernel_array array[5];

    space_dgemm(&bench.kernel, 4000);
    add_second_product(&bench, loop, access, array);
    bench_start(&bench);
    bench.machine.simd_bytes = 64;
    ask(&bench, "pack");
    check_at(&bench, 0, FIRST " " SECOND);
    /* of use where that is refused */
    check_at(&bench, 1, FIRST);
    check_at(&bench, 2, SECOND);
    check(!bench.out.item[0].fallback && bench.out.item[1].fallback &&
          bench.out.item[2].fallback);
    check_parses(&bench.out);
    /* one of them has its blocks: the other gets its own, with these */
    bench.now = bench.out.item[2];
    bench.now.fallback = false;
    ask(&bench, "pack");
    check_at(&bench, 0, FIRST " " SECOND);
    bench.now = bench.out.item[0];
    ask(&bench, "pack");
    check_nothing(&bench, "the plan keeps results in registers already");
    /* both alike: a step for all */
    bench.now = (struct choice){0};
    ask(&bench, "unroll_jam");
    check(bench.out.nr > 0 && !bench.out.item[0].nest);
    loop[5].trips = 2; /* hardly any of the work */
    ask(&bench, "pack");
    check(bench.out.nr > 0 && !bench.out.item[0].nest &&
          !bench.out.item[0].plan.step[0]->nest);
    bench_release(&bench);
}

/* C[i][j] += A[j][k] * B[i][k] + B[j][k] * A[i][k], of which only j <= i. */
TEST("arrays used twice are packed twice")
{
    static const double by_i[KERNEL_DEPTH_MAX] = {32000, 0, 8},
                        by_j[KERNEL_DEPTH_MAX] = {0, 32000, 8};
    struct bench bench = {0};
    struct kernel_access access[6];
    space_dgemm(&bench.kernel, 4000);
    memcpy(access, bench.kernel.access, sizeof(bench.kernel.access));
    for (int i = 2; i < 6; i++) {
        access[i] = bench.kernel.access[2];
        access[i].array = 1 + i % 2;
        memcpy(access[i].stride_at, i < 4 ? by_i : by_j, sizeof(by_i));
    }
    bench.kernel.view.access = access;
    bench.kernel.view.access_nr = 6;
    bench_start(&bench);
    bench.machine.simd_bytes = 64;
    ask(&bench, "pack");
    check(bench.out.nr > 0);
    check(
        choice_holds(&bench.out.item[0],
                     "tile(j:32,i:6) interchange(k,i,j) full(i,j) pack(A,it) pack(B,it) "
                     "pack(A,jt,j:32) pack(B,jt,j:32) pack(C,it2)"));
    bench.kernel.loop[1].upper_text = "i + 1";
    ask(&bench, "pack");
    check(bench.out.nr && choice_holds(&bench.out.item[0], "tile(j:32,i:4)"));
    bench_release(&bench);
}
