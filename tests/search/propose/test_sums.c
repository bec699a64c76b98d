/* Strips and blocks of results, rows in step, square tiles: what is proposed for sums,
 * chains and transpositions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/propose/propose_sums.h"
#include "tests/search/choices.h"
#include "tests/search/workbench.h"

SUITE(search_sums);

/* A[i][k] * B[k][j] added up in a variable; C[i][j] stands behind the loop over k. */
static void scalar_sum(struct bench *bench, int n)
{
    *bench = (struct bench){0};
    space_dgemm(&bench->kernel, n);
    bench->kernel.loop[1].perfect = false;
    for (int i = 0; i < 2; i++) {
        bench->kernel.access[i].loop = 1;
        bench->kernel.access[i].stride_at[2] = NAN;
    }
    bench_start(bench);
    bench->machine.simd_bytes = 64;
}

static void set_strides(struct kernel_access *access, double i, double j, double k)
{
    access->stride_at[0] = i;
    access->stride_at[1] = j;
    access->stride_at[2] = k;
}

TEST("blocks keep sums in registers")
{
    struct bench bench;

    scalar_sum(&bench, 1000);
    ask(&bench, "pack");
    check_eq(bench.out.nr, 1);
    check_at(&bench, 0,
             "tile(j:16,i:6) distribute(j) distribute(i) interchange(k,i,j) full(i,j) "
             "vec(j:8)");
    check_parses(&bench.out);
    bench.machine.simd_bytes = 32;
    ask(&bench, "pack");
    check_at(&bench, 0,
             "tile(j:8,i:2) distribute(j) distribute(i) interchange(k,i,j) full(i,j) "
             "vec(j:4)");
    bench_release(&bench);
    scalar_sum(&bench, 10); /* shorter than two vectors */
    ask(&bench, "pack");
    check_at(&bench, 0,
             "tile(j:8,i:6) distribute(j) distribute(i) interchange(k,i,j) full(i,j) "
             "vec(j:8)");
    bench_release(&bench);
    scalar_sum(&bench, 24); /* no multiple of two vectors, but of three */
    ask(&bench, "pack");
    check_at(&bench, 0,
             "tile(j:24,i:4) distribute(j) distribute(i) interchange(k,i,j) full(i,j) "
             "vec(j:8)");
    bench_release(&bench);
    scalar_sum(&bench, 4);
    ask(&bench, "pack");
    check_nothing(&bench, "the hot nest does not add up products of arrays");
    bench_release(&bench);
}

/* (A[k][i] - A[k][j]): results alone, then with the array in two buffers. */
TEST("elements are kept in a buffer")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 1000);
    bench.kernel.access[2].array = bench.kernel.access[3].array;
    set_strides(&bench.kernel.access[2], 8, 0, 8000);
    bench_start(&bench);
    bench.machine.simd_bytes = 64;
    ask(&bench, "pack");
    check_eq(bench.out.nr, 5);
    check_at(&bench, 0,
             "tile(j:16,i:6) interchange(k,i,j) full(i,j) pack(C,it) vec(j:8)");
    check_at(&bench, 1,
             "tile(k:256,j:2048,i:384) tile(j:32,i:6) interchange(k,i,j) full(i,j) "
             "pack(B,it) pack(B,jt,j:32) pack(C,it2) vec(j:8) prefetch(C:1)");
    check_parses(&bench.out);
    bench.kernel.loop[1].perfect = false;
    ask(&bench, "pack");
    check_at(&bench, 0,
             "distribute(j) distribute(i) tile(j:16,i:6) interchange(k,i,j) full(i,j) "
             "pack(C,it) vec(j:8)");
    bench_release(&bench);
}

static bool not_simd(void *data, struct choice *choice)
{
    (void)data;
    char *text = choice_text(choice);
    bool can = strcmp(text, "simd") != 0;

    free(text);
    return can;
}

static bool only_simd(void *data, struct choice *choice)
{
    return !not_simd(data, choice);
}

/* The loop over k waits for its sum; those over j do not. */
TEST("vectors of the loop around")
{
    struct bench bench;

    scalar_sum(&bench, 1000);
    bench.about.can_be = not_simd;
    ask(&bench, "simd");
    check_eq(bench.out.nr, 3);
    check_at(&bench, 0, "tile(j:64) distribute(j) interchange(k,j) full(j) simd");
    check_at(&bench, 1, "tile(j:256) distribute(j) interchange(k,j) full(j) simd");
    check_parses(&bench.out);
    bench.about.can_be = NULL; /* it may be legal as it is */
    ask(&bench, "simd");
    check_eq(bench.out.nr, 1);
    check_at(&bench, 0, "simd");
    bench.about.chained = true; /* but waits */
    ask(&bench, "simd");
    check_at(&bench, 0, "simd");
    check_at(&bench, 1, "tile(j:64) distribute(j) interchange(k,j) full(j) simd");
    bench.about.can_be = not_simd;
    set_strides(&bench.kernel.access[3], 0, 8000, 8); /* B[j][k]: gathered */
    ask(&bench, "simd");
    check_eq(bench.out.nr, 1);
    check_at(&bench, 0, "simd");
    bench_release(&bench);
    scalar_sum(&bench, 40); /* shorter than two of the blocks */
    bench.about.can_be = not_simd;
    ask(&bench, "simd");
    check_eq(bench.out.nr, 1);
    check_at(&bench, 0, "tile(j:32) distribute(j) interchange(k,j) full(j) simd");
    bench_release(&bench);
}

TEST("blocks need lanes and results of their own")
{
    struct bench bench = {0};
    struct sum_block block;

    space_dgemm(&bench.kernel, 1000);
    bench_start(&bench);
    check(sum_block_find(&bench.nest, &block));
    check_eq(block.along, 1);
    check_eq(block.across, 0);
    check_str(block.result, "C");
    bench.kernel.access[2].array = 0; /* C[i][k]: an operand too */
    check(!sum_block_find(&bench.nest, &block));
    space_dgemm(&bench.kernel, 1000);
    check(sum_block_find(&bench.nest, &block) && block.lanes);
    set_strides(&bench.kernel.access[3], 0, 8000, 8); /* B[j][k]: no lanes along j */
    check(sum_block_find(&bench.nest, &block) && !block.lanes);
    space_dgemm(&bench.kernel, 1000);
    bench.kernel.access[1].stride_at[0] = 0; /* i adds up, too */
    check(!sum_block_find(&bench.nest, &block));
    space_dgemm(&bench.kernel, 1000);
    bench.kernel.access[1].stride_at[2] = 8; /* every result is another one */
    check(!sum_block_find(&bench.nest, &block));
    space_transpose(&bench.kernel, 1000);
    bench_start(&bench);
    check(!sum_block_find(&bench.nest, &block));
    bench_release(&bench);
}

/* C[j][k] += A[i + j][k] * B[i]: a filter that goes over the picture for each point. */
TEST("sums of outer loops are put inside")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 1000);
    set_strides(&bench.kernel.access[0], 0, 8000, 8);
    set_strides(&bench.kernel.access[1], 0, 8000, 8);
    set_strides(&bench.kernel.access[2], 8000, 8000, 8);
    set_strides(&bench.kernel.access[3], 8, 0, 0);
    bench_start(&bench);
    bench.machine.simd_bytes = 64;
    ask(&bench, "pack");
    check_eq(bench.out.nr, 1);
    check_at(&bench, 0,
             "interchange(j,k,i) tile(k:16,j:6) interchange(i,j,k) full(j,k) pack(C,jt) "
             "vec(k:8)");
    check_parses(&bench.out);
    bench.kernel.loop[1].perfect = false;
    ask(&bench, "pack");
    check_nothing(&bench, "the hot nest does not add up products of arrays");
    bench_release(&bench);
}

/* Products of rows: no lanes, but sums that do not wait for one another. */
TEST("products of rows are added up side by side")
{
    struct bench bench;

    scalar_sum(&bench, 1000);
    set_strides(&bench.kernel.access[3], 0, 8000, 8);
    ask(&bench, "pack");
    check_at(&bench, 0,
             "tile(j:8,i:4) distribute(j) distribute(i) interchange(k,i,j) full(i,j)");
    check_parses(&bench.out);
    bench.kernel.loop[1].lower_text = "ni + 1";
    ask(&bench, "pack");
    check_eq(bench.out.nr, 1);
    bench.kernel.loop[1].lower_text = "n - i";
    ask(&bench, "pack");
    check_nothing(&bench, "the hot nest does not add up products of arrays");
    bench.kernel.loop[1].lower_text = "0";
    set_strides(&bench.kernel.access[3], 0, 0, 8); /* nothing is used again */
    ask(&bench, "pack");
    check_nothing(&bench, "the hot nest does not add up products of arrays");
    bench_release(&bench);
}

TEST("strips take the sum along")
{
    struct bench bench;

    scalar_sum(&bench, 1000);
    ask(&bench, "interchange");
    check(proposed(&bench, "tile(j:1024) distribute(j) interchange(k,j) simd"));
    check_parses(&bench.out);
    set_strides(&bench.kernel.access[2], 0, 8000, 8); /* A[j][k] * B[k][i] */
    set_strides(&bench.kernel.access[3], 8, 0, 8000);
    for (int i = 0; i < 2; i++) /* C[j][i] */
        set_strides(&bench.kernel.access[i], 8, 8000, NAN);
    ask(&bench, "interchange");
    check(proposed(&bench,
                   "tile(i:1024) interchange(j,i) distribute(i) interchange(k,i) simd"));
    bench_release(&bench);
    scalar_sum(&bench, 5000); /* L1 holds 2048 results, L2 13 columns of 5000 */
    ask(&bench, "interchange");
    check(proposed(&bench, "tile(j:2048) distribute(j) interchange(k,j) simd"));
    check(!proposed(&bench, "tile(j:8192) distribute(j) interchange(k,j) simd"));
    bench_release(&bench);
    scalar_sum(&bench, 3000); /* and 21 of 3000 */
    ask(&bench, "interchange");
    check(proposed(&bench, "tile(j:16) distribute(j) interchange(k,j) simd"));
    bench_release(&bench);
}

/* Nine weights down the columns: in[i + k][j]. */
TEST("short loops are written out")
{
    struct bench bench;

    scalar_sum(&bench, 1000);
    bench.kernel.loop[2].upper_text = "9";
    bench.kernel.loop[2].trips = 9;
    bench.kernel.loop[2].step = 1;
    set_strides(&bench.kernel.access[2], 8000, 8, 8000);
    set_strides(&bench.kernel.access[3], 0, 0, 8);
    bench_start(&bench);
    ask(&bench, "interchange");
    check(proposed(&bench, "unroll_jam(i:4) unroll(k:9)"));
    check(proposed(&bench, "unroll(k:9)"));
    check_parses(&bench.out);
    bench.kernel.loop[2].upper_text = "m"; /* another number, another time */
    ask(&bench, "interchange");
    check(!proposed(&bench, "unroll(k:9)"));
    bench_release(&bench);
}

TEST("chains run in several rows")
{
    struct bench bench = {0};

    space_transpose(&bench.kernel, 1000);
    bench.kernel.access[0].array = 0;
    bench.kernel.access[0].text = "B[i][j - 1]";
    bench.kernel.access[1].text = "B[i][j]";
    memcpy(bench.kernel.access[1].stride_at, bench.kernel.access[0].stride_at,
           sizeof(bench.kernel.access[0].stride_at));
    bench_start(&bench);
    ask(&bench, "unroll_jam");
    check_at(&bench, 0, "skew(j,i:2) unroll_jam(i:8)");
    check_at(&bench, 1, "skew(j,i:1) unroll_jam(i:8)");
    check_parses(&bench.out);
    bench.now = bench.out.item[0];
    ask(&bench, "unroll_jam");
    check_nothing(&bench, "the plan sets the order of all loops already");
    bench.now = (struct choice){0};
    bench.about.can_be = only_simd; /* so no iteration waits for the one before it */
    ask(&bench, "unroll_jam");
    check(!proposed(&bench, "skew(j,i:2) unroll_jam(i:8)"));
    bench.about.can_be = NULL;
    bench.kernel.access[0].text = "B[i][j]"; /* each iteration its own element */
    ask(&bench, "unroll_jam");
    check(!proposed(&bench, "skew(j,i:2) unroll_jam(i:8)"));
    bench_release(&bench);
}

TEST("transpositions get square tiles")
{
    struct bench bench = {0};

    space_transpose(&bench.kernel, 6000);
    bench_start(&bench);
    ask(&bench, "tile");
    check_at(&bench, 0, "tile(i:32,j:32)"); /* 2 * 32 * 32 * 8 bytes: half of L1 */
    check_at(&bench, 1, "tile(i:16,j:16)");
    memcpy(bench.kernel.access[1].stride_at, bench.kernel.access[0].stride_at,
           sizeof(bench.kernel.access[0].stride_at));
    ask(&bench, "tile");
    check(!proposed(&bench, "tile(i:32,j:32)"));
    bench_release(&bench);
}

TEST("a whole shape stays as it is")
{
    struct bench bench;

    scalar_sum(&bench, 1000);
    ask(&bench, "pack");
    bench.now = bench.out.nr ? bench.out.item[0] : bench.now;
    ask(&bench, "interchange");
    check_nothing(&bench, "the plan sets the order of all loops already");
    ask(&bench, "tile");
    check_nothing(&bench, "the plan sets the order of all loops already");
    ask(&bench, "simd");
    check_nothing(&bench, "the plan sets the order of all loops already");
    bench.now = choice_of("interchange(i,k,j)");
    ask(&bench, "pack"); /* another order does not stand in the way */
    check_eq(bench.out.nr, 1);
    check(bench.out.nr && !choice_step(&bench.out.item[0], STEP_INTERCHANGE));
    bench_release(&bench);
}
