/* The shape of the nest, and what others than this function would have to change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/propose/uses.h"
#include "tests/search/workbench.h"

SUITE(search_uses);

static void check_names(size_t nr, struct buf *names, size_t want, const char *text)
{
    check_eq(nr, want);
    check_str(buf_str(names), text);
    buf_release(names);
}

TEST("shapes are told apart")
{
    struct bench bench = {0};

    space_dgemm(&bench.kernel, 100);
    bench_start(&bench);
    check(is_contraction(&bench.nest));
    bench.kernel.access[0].stride_at[0] = 8; /* now the result moves with all three */
    bench.kernel.access[0].stride_at[1] = 8;
    bench.kernel.access[0].stride_at[2] = 8;
    check(!is_contraction(&bench.nest));
    space_transpose(&bench.kernel, 100);
    bench_start(&bench);
    check(!is_contraction(&bench.nest));
    bench_release(&bench);
}

TEST("look-ups and updates are named")
{
    struct bench bench = {0};
    struct buf names = {0};

    space_gather(&bench.kernel, 1000, 100000);
    bench_start(&bench);
    check_names(lookup_names(&bench.nest, &names), &names, 1, "table by idx");
    check(lookup_line_share(&bench.nest, 64) == 0.125);
    check_names(update_names(&bench.nest, &names), &names, 0, "");
    for (size_t i = 0; i < bench.kernel.view.access_nr; i++)
        bench.kernel.access[i].update =
            bench.kernel.access[i].access_class == ACCESS_INDIRECT;
    check_names(update_names(&bench.nest, &names), &names, 1, "table by idx");
    space_transpose(&bench.kernel, 100);
    bench_start(&bench);
    check_names(lookup_names(&bench.nest, &names), &names, 0, "");
    check(isnan(lookup_line_share(&bench.nest, 64)));
    bench_release(&bench);
}

TEST("structs are weighed by what is used")
{
    static const char *const temporary[] = {"row", "sums"};
    const struct kernel_record record[] = {
        {.name = "p", .fields = "x", .record_bytes = 32, .used_bytes = 8},
        {.name = "q", .fields = "w", .record_bytes = 8, .used_bytes = 8, .nest = 1}};
    struct bench bench = {0};
    struct buf names = {0};
    double used = -1;

    space_transpose(&bench.kernel, 100); /* two arrays of 80,000 bytes */
    bench_start(&bench);
    check_names(record_names(&bench.nest, &names, &used), &names, 0, "");
    check(used == -1 && record_ratio(&bench.nest) == 1);
    bench.kernel.array[0].name = "p.x";
    bench.kernel.array[0].record_bytes = 32;
    bench.kernel.view.record = record;
    bench.kernel.view.record_nr = 2;
    check_names(record_names(&bench.nest, &names, &used), &names, 1, "p: x");
    check(used == 0.25);
    check(record_ratio(&bench.nest) == 2.0 / 5); /* 160,000 of 320,000 + 80,000 */
    bench.kernel.view.temporary = temporary;
    bench.kernel.view.temporary_nr = 2;
    check_names(temporary_names(&bench.nest, &names), &names, 2, "row, sums");
    bench_release(&bench);
}

/* One line holds both fields: the second needs no prefetch of its own. */
TEST("prefetch of a field brings its record")
{
    struct bench bench = {0};
    struct kernel_record record = {.name = "p", .record_bytes = 32};

    space_gather(&bench.kernel, 1000, 100000);
    for (size_t i = 0; i < bench.kernel.view.array_nr; i++)
        if (!strcmp(bench.kernel.array[i].name, "table"))
            bench.kernel.array[i].name = "p.x";
        else if (!strcmp(bench.kernel.array[i].name, "out"))
            bench.kernel.array[i].name = "p.y";
    bench.kernel.view.record = &record;
    bench.kernel.view.record_nr = 1;
    bench_start(&bench);
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(p.x:8)");
    bench.now = bench.out.item[0];
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(p.x:8) prefetch(idx:16)");
    record.record_bytes = 128;
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(p.x:8) prefetch(p.y:16)");
    bench_release(&bench);
}

/* While the one waits, fetching the other gains little. */
TEST("all that is looked up is prefetched together")
{
    struct bench bench = {0};

    space_gather(&bench.kernel, 1000, 100000);
    for (size_t i = 0; i < bench.kernel.view.access_nr; i++)
        if (!strcmp(bench.kernel.array[bench.kernel.access[i].array].name, "out"))
            bench.kernel.access[i].access_class = ACCESS_INDIRECT;
    bench_start(&bench);
    ask(&bench, "prefetch_l1");
    check_eq(bench.out.nr, 6);
    check_at(&bench, 0, "prefetch(table:8) prefetch(out:8)");
    check_at(&bench, 1, "prefetch(table:8)");
    check_at(&bench, 2, "prefetch(table:16) prefetch(out:16)");
    bench.now = bench.out.item[1];
    ask(&bench, "prefetch_l1");
    check_at(&bench, 0, "prefetch(table:8) prefetch(out:8)");
    check_eq(bench.out.nr, 3);
    bench_release(&bench);
}
