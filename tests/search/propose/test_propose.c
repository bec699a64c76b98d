/* What each transformation proposes first, why it does not, and the neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/propose/propose.h"
#include "tests/search/choices.h"
#include "tests/search/workbench.h"

SUITE(search_propose);

TEST("interchange puts the unit stride inside")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 1000);
    bench_start(&bench);
    ask(&bench, "interchange");
    check_at(&bench, 0, "interchange(i,k,j)");
    size_t orders = 0;
    for (size_t i = 0; i < bench.out.nr; i++)
        orders += !bench.out.item[i].fallback;
    check(orders <= 3);
    /* Where statements stand beside inner loops: the moved loops alone, or split off. */
    check_at(&bench, 1, "interchange(k,j)");
    check_at(&bench, 2, "distribute(j) distribute(i) interchange(i,k,j)");
    check_at(&bench, 3, "distribute(j) interchange(k,j)");
    check(bench.out.item[1].fallback && bench.out.item[3].fallback);
    check(!proposed(&bench, "interchange(i,j,k)"));
    check(!proposed(&bench, "interchange(j,k,i)"));
    bench.now = bench.out.item[0];
    ask(&bench, "interchange");
    check_nothing(&bench,
                  "the present order of loops already has the lowest estimated traffic");
    bench_release(&bench);
}

TEST("interchange needs two loops")
{
    struct bench bench = {0};

    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    ask(&bench, "interchange");
    check_nothing(&bench, "the hot nest has no two loops to interchange");
    bench_release(&bench);
}

TEST("tiles fit a cache")
{
    struct bench bench = {0};
    double bytes = 0;

    space_transpose(&bench.kernel, 6000);
    bench_start(&bench);
    ask(&bench, "tile");
    check_eq(bench.out.nr, 8); /* two squares, six by the estimate */
    struct loop_size tile[CHOICE_LOOPS_MAX];
    size_t nr = bench.out.nr ? choice_sizes(&bench.out.item[0], STEP_TILE, tile) : 0;
    for (size_t i = 0; i < nr; i++)
        bytes += 16 * (double)tile[i].size;
    check(bytes > 0 && bytes <= 1048576);
    check(!choice_step(&bench.out.item[0], STEP_INTERCHANGE));
    bench_release(&bench);
}

/* Tile loops go outside of the outermost loop named: a tile of k alone, with i outside of
 * it, would be a strip. */
TEST("outer loops of a tiled one are named")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 1000);
    bench_start(&bench);
    ask(&bench, "tile");
    check_eq(bench.out.nr, 6);
    for (size_t i = 0; i < bench.out.nr; i++) {
        struct loop_size tile[CHOICE_LOOPS_MAX];
        size_t nr = choice_sizes(&bench.out.item[i], STEP_TILE, tile);
        int deepest = 0;

        for (size_t t = 0; t < nr; t++) {
            int depth = nest_depth(&bench.nest, tile[t].loop);
            deepest = depth > deepest ? depth : deepest;
        }
        check_eq(nr, deepest + 1);
    }
    bench_release(&bench);
}

TEST("tiles follow the present order")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 1000);
    bench.now = choice_of("interchange(k,i,j) simd");
    bench_start(&bench);
    ask(&bench, "tile");
    check(bench.out.nr > 0);
    for (size_t i = 0; i < bench.out.nr; i++) {
        char *text = choice_text(&bench.out.item[i]);

        check_contains(text, "interchange(k,i,j) tile(");
        check_contains(text, ") simd");
        free(text);
    }
    bench_release(&bench);
}

TEST("loops can be too short or too few to tile")
{
    struct bench bench = {0};

    space_transpose(&bench.kernel, 8);
    bench_start(&bench);
    ask(&bench, "tile");
    check_nothing(&bench, "every loop of the hot nest is shorter than the smallest tile");
    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    ask(&bench, "tile");
    check_nothing(&bench, "tiling needs a nest of 2 to 4 loops, the hot one has 1");
    bench_release(&bench);
}

/* i, j, k: A[i][k] is shared by copies of j, B[k][j] by copies of i. */
TEST("jamming shares what is invariant")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 1000);
    bench_start(&bench);
    ask(&bench, "unroll_jam");
    check_at(&bench, 0, "unroll_jam(i:4,j:4)");
    check_eq(bench.out.nr, 6);
    for (size_t i = 0; i < bench.out.nr; i++)
        check(!choice_size(&bench.out.item[i], STEP_UNROLL_JAM, "k"));
    bench_release(&bench);
}

/* Both arrays along their rows: copies of i have no line in common. */
TEST("jamming that saves nothing is not proposed")
{
    struct bench bench = {0};

    space_transpose(&bench.kernel, 6000);
    memcpy(bench.kernel.access[1].stride_at, bench.kernel.access[0].stride_at,
           sizeof(bench.kernel.access[0].stride_at));
    bench_start(&bench);
    ask(&bench, "unroll_jam");
    check_nothing(&bench, "jamming an outer loop would save neither accesses nor lines");
    bench.about.chained = true; /* but chains run side by side */
    ask(&bench, "unroll_jam");
    check(bench.out.nr > 0);
    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    ask(&bench, "unroll_jam");
    check_nothing(&bench, "there is no outer loop to unroll and jam");
    bench_release(&bench);
}

/* Copies of i write neighbours within the lines of B. */
TEST("jamming fills lines of a transposition")
{
    struct bench bench = {0};

    space_transpose(&bench.kernel, 6000);
    bench_start(&bench);
    ask(&bench, "unroll_jam");
    check_at(&bench, 0, "unroll_jam(i:8)");
    bench_release(&bench);
}

TEST("the innermost loop is unrolled unless vectorized")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 100);
    bench_start(&bench);
    bench.now = choice_of("interchange(i,k,j)");
    ask(&bench, "unroll");
    check_at(&bench, 0, "interchange(i,k,j) unroll(j:4)");
    check_eq(bench.out.nr, 3);
    bench.now = choice_of("interchange(i,k,j) simd");
    ask(&bench, "unroll");
    check_nothing(&bench,
                  "the innermost loop is marked for vectors: the compiler unrolls it");
    bench_release(&bench);
}

TEST("narrow counters take blocks of whole vectors")
{
    struct bench bench = {0};

    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    ask(&bench, "narrow_counters");
    check_at(&bench, 0, "narrow_counters(i:16384)");
    check_eq(bench.out.nr, 3);
    for (size_t i = 0; i < bench.kernel.view.array_nr; i++)
        bench.kernel.array[i].element_bytes = 1;
    ask(&bench, "narrow_counters");
    check_at(&bench, 0, "narrow_counters(i:192)");
    check_at(&bench, 1, "narrow_counters(i:193)");
    check_at(&bench, 2, "narrow_counters(i:96)");
    bench.now = choice_of("unroll(i:4)");
    ask(&bench, "narrow_counters");
    check_nothing(&bench, "the innermost loop is unrolled already");
    bench_release(&bench);
}

TEST("several tables are for what is updated by an index")
{
    struct bench bench = {0};

    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    ask(&bench, "privatize");
    check_nothing(&bench, "no element that is found by an index is updated");
    for (size_t i = 0; i < bench.kernel.view.access_nr; i++)
        bench.kernel.access[i].update = bench.kernel.access[i].write;
    ask(&bench, "privatize");
    check_at(&bench, 0, "privatize(out:8)");
    check_at(&bench, 1, "privatize(out:4)");
    check_eq(bench.out.nr, 2);
    bench.now = choice_of("unroll(i:4)");
    ask(&bench, "privatize");
    check_nothing(&bench, "the innermost loop is unrolled already");
    bench_release(&bench);
}

TEST("simd is proposed once")
{
    struct bench bench = {0};

    space_transpose(&bench.kernel, 100);
    bench_start(&bench);
    ask(&bench, "simd");
    check_eq(bench.out.nr, 1);
    check_at(&bench, 0, "simd");
    bench.now = choice_of("interchange(i,k,j) simd");
    ask(&bench, "simd");
    check_nothing(&bench, "the plan already marks the innermost loop");
    bench_release(&bench);
}

/* As many iterations ahead as the core holds misses, half and twice that; further for L2.
 */
TEST("prefetch takes the indirect array first")
{
    struct bench bench = {0};

    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    bench.about.miss_limit = 16;
    ask(&bench, "prefetch_l1");
    check_eq(bench.out.nr, 3);
    check_at(&bench, 0, "prefetch(table:8)");
    check_at(&bench, 1, "prefetch(table:16)");
    check_at(&bench, 2, "prefetch(table:32)");
    ask(&bench, "prefetch_l2");
    check_at(&bench, 0, "prefetch(table:16,to:L2)");
    check_at(&bench, 2, "prefetch(table:64,to:L2)");
    bench.about.miss_limit = 23;
    ask(&bench, "prefetch_l1");
    check_at(&bench, 1, "prefetch(table:32)");
    bench_release(&bench);
}

/* out[b][d] += table[idx[b][k]][d]: b 1000 rows, k, d `trips` each. */
static void rows_of(struct bench *bench, double k, double d)
{
    struct space_kernel *kernel = &bench->kernel;

    space_gather(kernel, 1000, 100000);
    kernel->loop[1] = kernel->loop[2] = kernel->loop[0];
    for (int i = 0; i < 3; i++) {
        kernel->loop[i].name = i == 0 ? "b" : i == 1 ? "k" : "d";
        kernel->loop[i].depth = i;
        kernel->loop[i].parent = i - 1;
        kernel->loop[i].innermost = i == 2;
        kernel->loop[i].trips = i == 0 ? 1000 : i == 1 ? k : d;
    }
    kernel->view.loop_nr = 3;
    for (size_t i = 0; i < kernel->view.access_nr; i++) {
        struct kernel_access *access = &kernel->access[i];
        access->loop = 2;
        if (access->access_class != ACCESS_INDIRECT &&
            !strcmp(kernel->array[access->array].name, "idx"))
            access->access_class = ACCESS_INVARIANT;
    }
    bench_start(bench);
    bench->about.miss_limit = 16;
}

/* 80 ns at 10 ns an innermost iteration: whole rows ahead where the loops inside end
 * before that pays, else in the innermost loop alone. */
TEST("rows to come are prefetched")
{
    struct bench bench = {0};

    rows_of(&bench, 4, 2);
    ask(&bench, "prefetch_l1");
    check_eq(bench.out.nr, 5);
    check_at(&bench, 0, "prefetch(table:1,at:b)");
    check_at(&bench, 1, "prefetch(table:2,at:b)");
    check_at(&bench, 2, "prefetch(table:8)");
    check_parses(&bench.out);
    ask(&bench, "prefetch_l2");
    check_at(&bench, 0, "prefetch(table:1,to:L2,at:b)");
    bench.about.iteration_s = 1e-9;
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:10,at:b)");
    check_at(&bench, 1, "prefetch(table:20,at:b)");
    rows_of(&bench, 500, 2); /* k goes on for long enough */
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:4,at:k)");
    rows_of(&bench, 4, 100); /* few lines of a row looked up outside of d */
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:1,at:b)");
    rows_of(&bench, 4, 5000);
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:8)");
    rows_of(&bench, 4, 2);
    bench.kernel.loop[2].trips = -1; /* rows of unknown length */
    bench.kernel.loop[2].modelled = false;
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:4,at:b)");
    rows_of(&bench, 4, 2);
    bench.kernel.loop[2].trips = -1; /* that are a nest of their own */
    bench.kernel.loop[2].nest = 1;
    bench.kernel.loop[2].depth = 0;
    bench.kernel.loop[2].level = 2;
    nest_find(&bench.kernel.view, &bench.nest);
    check_eq(bench.nest.nr, 1);
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:4,at:b)");
    ask(&bench, "unroll");
    check_at(&bench, 0, "unroll(d:4)");
    bench_release(&bench);
}

/* 80 ns to hide at 10 ns an iteration: streams 16 iterations ahead. */
TEST("prefetch goes on to the next array")
{
    struct bench bench = {0};

    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    ask(&bench, "prefetch_l1");
    bench.now = bench.out.item[0];
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:8) prefetch(out:16)");
    bench.now = bench.out.item[0];
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:8) prefetch(out:16) prefetch(idx:16)");
    bench.now = bench.out.item[0];
    ask(&bench, "prefetch_l1");
    check_nothing(
        &bench, "no array of the hot nest is left whose addresses can be computed ahead");
    bench_release(&bench);
}

TEST("a prefetch to the other level replaces")
{
    struct bench bench = {0};

    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    ask(&bench, "prefetch_l1");
    bench.now = bench.out.item[0];
    ask(&bench, "prefetch_l2");
    check_at(&bench, 0, "prefetch(table:16,to:L2)");
    bench_release(&bench);
}

TEST("distances stay within reason")
{
    struct bench bench = {0};

    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    bench.about.miss_limit = 100000;
    ask(&bench, "prefetch_l1");
    check_eq(bench.out.nr, 1);
    check_at(&bench, 0, "prefetch(table:512)");
    bench.about.miss_limit = 1;
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:2)");
    bench.about.miss_limit = 0; /* not known */
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:8)");
    bench_release(&bench);
}

TEST("what cannot be proposed says so")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 100);
    bench_start(&bench);
    ask(&bench, "sort");
    check_nothing(&bench, "not tried: no plan does it, it is done by hand");
    ask(&bench, "parallel");
    check_nothing(&bench, "not tried: it changes more than the loop");
    ask(&bench, "fuse");
    check_nothing(&bench, "no two adjacent loops could be one");
    ask(&bench, "skew");
    check_nothing(&bench, "no loop passes over the same data again and again");
    ask(&bench, "nontemporal");
    check_nothing(&bench, "no array is only written, and that along its lines");
    bench.nest.nr = 0;
    ask(&bench, "tile");
    check_nothing(&bench, "no loop of the kernel could be modelled");
    bench_release(&bench);
}

/* `#pragma omp parallel for` before the loop that goes inside: a region in each round of
 * the new outer one would cost more than the order brings. */
TEST("threads stay outside when their loop goes inside")
{
    struct bench bench = {0};

    space_transpose(&bench.kernel, 6000);
    bench.kernel.access[0].stride_at[0] = 8; /* A[j][i], too */
    bench.kernel.access[0].stride_at[1] = 8.0 * 6000;
    bench.kernel.access[0].access_class = ACCESS_STRIDED;
    bench.kernel.loop[0].threads = -1;
    bench_start(&bench);
    ask(&bench, "interchange");
    check_at(&bench, 0, "interchange(j,i) parallel(j)");
    check_at(&bench, 1, "interchange(j,i)");
    bench_release(&bench);
}

/* `while (!done) for (i ...) for (j ...) ...`: the loops inside are a nest. */
TEST("a nest in a loop that cannot be read is proposed for")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 1000);
    bench.kernel.loop[3] = (struct kernel_loop){.name = "", .parent = -1, .nest = -1};
    bench.kernel.loop[0].parent = 3;
    bench.kernel.view.loop_nr = 4;
    bench_start(&bench);
    check_eq(bench.nest.nr, 3);
    ask(&bench, "interchange");
    check_at(&bench, 0, "interchange(i,k,j)");
    bench_release(&bench);
}

static void check_neighbours(struct bench *bench, const char *transformation,
                             const struct choice *best, const char *want)
{
    struct buf all = {0};

    choices_release(&bench->out);
    propose_neighbours(transformation, best, &bench->out);
    for (size_t i = 0; i < bench->out.nr; i++) {
        char *text = choice_text(&bench->out.item[i]);

        buf_addf(&all, "%s%s", i ? "; " : "", text);
        free(text);
    }
    check_str(buf_str(&all), want);
    buf_release(&all);
}

TEST("neighbours are half and twice")
{
    struct bench bench = {0};
    struct choice best = choice_of("tile(i:4,j:64)");

    check_neighbours(&bench, "tile", &best,
                     "tile(i:8,j:64); tile(i:4,j:32); tile(i:4,j:128)");
    best = choice_of("unroll_jam(i:2) simd");
    check_neighbours(&bench, "unroll_jam", &best, "unroll_jam(i:4) simd");
    best = choice_of("prefetch(a:8) prefetch(b:1,to:L2)");
    check_neighbours(&bench, "prefetch_l2", &best, "prefetch(a:8) prefetch(b:2,to:L2)");
    check_neighbours(&bench, "simd", &best, "");
    check_neighbours(&bench, "interchange", &best, "");
    bench_release(&bench);
}

TEST("every text is a canonical plan")
{
    static const char *const name[] = {
        "skew",   "fuse", "distribute",  "interchange", "tile",       "unroll_jam",
        "unroll", "simd", "prefetch_l1", "prefetch_l2", "nontemporal"};
    struct bench bench = {0};

    for (int k = 0; k < 3; k++) {
        bench.now = (struct choice){0};
        if (k == 0)
            space_dgemm(&bench.kernel, 1000);
        else if (k == 1)
            space_transpose(&bench.kernel, 1000);
        else
            space_gather(&bench.kernel, 1000, 100000);
        bench_start(&bench);
        for (size_t t = 0; t < ARRAY_SIZE(name); t++) {
            ask(&bench, name[t]);
            check_parses(&bench.out);
            if (bench.out.nr)
                bench.now = bench.out.item[0];
        }
    }
    bench_release(&bench);
}

/* A sparse matrix: the bounds of the inner loop are data, so it stays as it is. */
TEST("loops left alone are prefetched in")
{
    struct bench bench = {0};

    space_gather(&bench.kernel, 1000, 100000);
    bench.kernel.loop[0].modelled = false;
    bench_start(&bench);
    check(bench.nest.nr == 0);
    ask(&bench, "prefetch_l1");
    check(bench.out.nr > 0 &&
          !strcmp(choice_step(&bench.out.item[0], STEP_PREFETCH)->arg[0].name, "table"));
    ask(&bench, "simd");
    check_nothing(&bench, "no loop of the kernel could be modelled");
    bench_release(&bench);
}

/* Jams and tiles on another order, before that order is judged. */
TEST("orders are built on")
{
    struct bench bench = {0};
    struct choices list = {0};

    space_dgemm(&bench.kernel, 1000);
    bench_start(&bench);
    ask(&bench, "interchange");
    bench.now = bench.out.item[0];
    propose_on_top(&bench.about, "interchange", &list);
    check(list.nr == 2 && choice_step(&list.item[0], STEP_UNROLL_JAM) &&
          choice_step(&list.item[1], STEP_TILE));
    for (size_t i = 0; i < list.nr; i++) {
        const char *name[CHOICE_LOOPS_MAX];
        check(choice_order(&list.item[i], name) == 3 && !strcmp(name[2], "j"));
    }
    choices_release(&list);
    propose_on_top(&bench.about, "tile", &list);
    check(list.nr == 0);
    bench_release(&bench);
}
