/* Blocks in time, joined and split loops, stores past the caches: what is proposed. */
#include <stdlib.h>
#include <string.h>

#include "search/propose/propose.h"
#include "tests/search/choices.h"
#include "tests/search/workbench.h"

SUITE(search_steps);

/* for t: for i: a[i] = f(b[i]); for i: b[i] = a[i]. As one nest of the outer loop with
 * two loops beside one another. */
static void time_steps(struct space_kernel *kernel, struct kernel_loop *loop,
                       struct kernel_access *access, int steps, int n)
{
    *kernel = (struct space_kernel){0};
    for (int i = 0; i < 2; i++)
        kernel->array[i] = (struct kernel_array){.name = i ? "b" : "a",
                                                 .element_bytes = 8,
                                                 .record_bytes = 8,
                                                 .read = true,
                                                 .written = true,
                                                 .bytes = 8.0 * n};
    loop[0] = (struct kernel_loop){.name = "t", .parent = -1, .trips = steps};
    for (int i = 1; i < 3; i++)
        loop[i] =
            (struct kernel_loop){.name = "i", .depth = 1, .trips = n, .innermost = true};
    for (int i = 0; i < 3; i++)
        loop[i].modelled = true;
    for (int i = 0; i < 4; i++)
        access[i] = (struct kernel_access){.array = i == 1 || i == 2,
                                           .loop = 1 + i / 2,
                                           .write = i % 2 == 0,
                                           .access_class = ACCESS_STREAMING,
                                           .stride_bytes = 8,
                                           .stride_at = {0, 8},
                                           .through = -1,
                                           .text = "a[i]"};
    kernel->view = (struct kernel_view){.array = kernel->array,
                                        .array_nr = 2,
                                        .loop = loop,
                                        .loop_nr = 3,
                                        .access = access,
                                        .access_nr = 4};
}

static bool leaves_space(void *data, struct choice *choice)
{
    (void)data;
    return !choice_size(choice, STEP_TILE, "i");
}

TEST("time is blocked and neighbours joined")
{
    struct bench bench = {0};
    struct kernel_loop loop[3];
    struct kernel_access access[4];

    time_steps(&bench.kernel, loop, access, 100, 1000000);
    bench_start(&bench);
    ask(&bench, "skew");
    /* Half of 32 KiB for two arrays, and a quarter of 1 MiB. */
    check_at(&bench, 0, "skew_tile(t:32,i:1024)");
    check_at(&bench, 1, "skew_tile(t:32,i:16384)");
    check(proposed(&bench, "skew_tile(t:8,i:1024)"));
    bench.about.can_be = leaves_space; /* tiles of t alone would run as t does */
    ask(&bench, "tile");
    for (size_t i = 0; i < bench.out.nr; i++)
        check(!leaves_space(NULL, &bench.out.item[i]));
    bench.about.can_be = NULL;
    ask(&bench, "fuse");
    check_eq(bench.out.nr, 1);
    check_at(&bench, 0, "fuse(i)");
    ask(&bench, "distribute");
    check_at(&bench, 0, "distribute(i)");
    loop[2].name = "k";
    ask(&bench, "fuse");
    check_at(&bench, 0, "fuse(i,k)");
    bench.now = choice_of("fuse(i)");
    ask(&bench, "fuse");
    check_nothing(&bench, "the plan joins loops already");
    bench.now = choice_of("fuse(i) distribute(i)");
    ask(&bench, "distribute");
    check_nothing(&bench, "the plan splits a loop already");
    bench.now = choice_of("interchange(j,i)");
    ask(&bench, "skew");
    check_nothing(&bench, "blocks in time start from the loops as they are written");
    access[0].stride_at[0] = 8;
    bench.now = (struct choice){0};
    ask(&bench, "skew");
    check_nothing(&bench, "no loop passes over the same data again and again");
    bench_release(&bench);
}

TEST("products of matrices get register blocks")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 1000);
    bench_start(&bench);
    bench.machine.simd_bytes = 64;
    ask(&bench, "pack");
    check_eq(bench.out.nr, 5);
    check_at(&bench, 1,
             "tile(k:256,j:2048,i:384) tile(j:32,i:6) interchange(k,i,j) full(i,j) "
             "pack(A,it) pack(B,jt,j:32) pack(C,it2) vec(j:8) prefetch(C:1)");
    check_at(&bench, 0,
             "tile(j:16,i:6) interchange(k,i,j) full(i,j) pack(C,it) vec(j:8)");
    check_parses(&bench.out);
    space_dgemm(&bench.kernel, 4000); /* 32 columns of 4000 are more than half of L2 */
    bench_start(&bench);
    bench.machine.simd_bytes = 64;
    ask(&bench, "pack");
    check(choice_begins(&bench.out.item[0], "tile(k:256,"));
    bench.now = bench.out.item[0];
    ask(&bench, "pack");
    check_nothing(&bench, "the plan keeps results in registers already");
    bench.now = (struct choice){0};
    space_transpose(&bench.kernel, 1000);
    bench_start(&bench);
    ask(&bench, "pack");
    check_nothing(&bench, "the hot nest does not add up products of arrays");
    bench_release(&bench);
}

TEST("stores of what is only written go past the caches")
{
    struct bench bench = {0};

    space_transpose(&bench.kernel, 1000);
    bench.kernel.access[1].access_class = ACCESS_STREAMING;
    bench_start(&bench);
    ask(&bench, "nontemporal");
    check_at(&bench, 0, "nontemporal(B)");
    bench.now = bench.out.item[0];
    ask(&bench, "nontemporal");
    check_nothing(&bench, "the plan's stores go past the caches already");
    bench_release(&bench);
}

/* Where the source has a divisor that stays: the outermost loop for which that is legal,
 * and the innermost. */
TEST("divisions become multiplications")
{
    struct bench bench = {0};
    char divisor[] = "d";
    struct kernel_found found = {.spot = KERNEL_SPOT_DIVISOR, .what = divisor};

    space_transpose(&bench.kernel, 1000);
    bench_start(&bench);
    ask(&bench, "reciprocal");
    check_nothing(&bench, "no divisor stays the same in a loop");
    bench.kernel.view.found = &found;
    bench.kernel.view.found_nr = 1;
    bench_start(&bench);
    ask(&bench, "reciprocal");
    check_eq(bench.out.nr, 2);
    check_at(&bench, 0, "reciprocal(i)");
    check_at(&bench, 1, "reciprocal(j)");
    bench.now = choice_of("reciprocal(i)");
    ask(&bench, "reciprocal");
    check_nothing(&bench, "the plan multiplies by reciprocals already");
    bench_release(&bench);
}

/* Where the source asks for the place: all loops that have borders, then the inner ones
 * alone. */
TEST("borders are split off")
{
    struct bench bench = {0};
    char border[] = "i == 0";
    struct kernel_found found = {.spot = KERNEL_SPOT_BORDER, .what = border};

    space_transpose(&bench.kernel, 1000);
    bench_start(&bench);
    ask(&bench, "split_borders");
    check_nothing(&bench, "nothing asks for the place in a loop");
    bench.kernel.view.found = &found;
    bench.kernel.view.found_nr = 1;
    bench_start(&bench);
    ask(&bench, "split_borders");
    check_eq(bench.out.nr, 2);
    check_at(&bench, 0, "split_borders(i,j)");
    check_at(&bench, 1, "split_borders(j)");
    bench.now = choice_of("split_borders(j)");
    ask(&bench, "split_borders");
    check_nothing(&bench, "the plan splits borders off already");
    found.spot = KERNEL_SPOT_MET;
    bench.now = (struct choice){0};
    ask(&bench, "split_borders");
    check_eq(bench.out.nr, 2);
    bench_release(&bench);
}

TEST("branches on data are left out of all loops at once")
{
    struct bench bench = {0};

    space_transpose(&bench.kernel, 1000);
    bench_start(&bench);
    ask(&bench, "branch_free");
    check_eq(bench.out.nr, 1);
    check_at(&bench, 0, "branch_free(i)");
    bench.now = bench.out.item[0];
    ask(&bench, "branch_free");
    check_nothing(&bench, "the plan does without the branches that it can");
    bench_release(&bench);
}
