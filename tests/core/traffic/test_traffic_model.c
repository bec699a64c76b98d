/* The cache model against closed forms. */
#include <stdlib.h>

#include "core/base/array.h"
#include "core/traffic/tracer/cache_model.h"
#include "tests/check.h"

SUITE(traffic_model);

enum { line = 64, l1_lines = 64, l2_lines = 512, l3_lines = 4096 };

/* 4 KiB, 32 KiB, 256 KiB. */
static const struct cache_geometry small = {
    .line_bytes = line,
    .level_nr = 3,
    .level = {{.bytes = l1_lines * line, .ways = 4, .folded = false},
              {.bytes = l2_lines * line, .ways = 8, .folded = false},
              {.bytes = l3_lines * line, .ways = 16, .folded = true}},
};

static const uint64_t base = UINT64_C(1) << 40;

/* All on behalf of one part. */

static void load(struct cache_model *model, uint64_t address, uint64_t bytes)
{
    cache_model_load(model, model->part, address, bytes);
}

static void store(struct cache_model *model, uint64_t address, uint64_t bytes)
{
    cache_model_store(model, model->part, address, bytes);
}

static void prefetch(struct cache_model *model, uint64_t address, int level)
{
    cache_model_prefetch(model, model->part, address, level);
}

static void nontemporal(struct cache_model *model, uint64_t address, uint64_t bytes)
{
    cache_model_nontemporal(model, model->part, address, bytes);
}

static struct cache_model *model_new(const struct cache_geometry *geometry)
{
    struct cache_model *model = malloc(sizeof(*model));
    const char *why = NULL;

    if (!model || cache_model_init(model, geometry, &why)) {
        CU_FAIL_FATAL("the model cannot be made");
    }
    return model;
}

static struct cache_counts model_end(struct cache_model *model)
{
    struct cache_counts counts;

    cache_model_drain(model);
    counts = cache_model_counts(model);
    cache_model_release(model);
    free(model);
    return counts;
}

static void check_levels(const uint64_t *got, uint64_t l1, uint64_t l2, uint64_t l3)
{
    check_eq(got[0], l1);
    check_eq(got[1], l2);
    check_eq(got[2], l3);
}

TEST("a sequential read fills every line once")
{
    struct cache_model *model = model_new(&small);
    struct cache_counts counts;

    for (uint64_t i = 0; i < 100000; i++)
        load(model, base + 8 * i, 8);
    counts = model_end(model);
    check_eq(counts.accesses, 100000);
    check_eq(counts.bytes, 800000);
    check_levels(counts.fills, 12500, 12500, 12500);
    check_levels(counts.writebacks, 0, 0, 0);
    check_levels(counts.l1_from, 0, 0, 12500);
    check_eq(counts.walks, 196); /* 800000 / 4096, rounded up */
}

TEST("a sequential write also writes every line back")
{
    struct cache_model *model = model_new(&small);
    uint64_t left[CACHE_LEVELS_MAX];
    struct cache_counts counts;

    for (uint64_t i = 0; i < 100000; i++)
        store(model, base + 8 * i, 8);
    cache_model_dirty(model, left, NULL);
    check_levels(left, l1_lines, l2_lines, l3_lines);
    counts = model_end(model);
    check_levels(counts.fills, 12500, 12500, 12500);
    check_levels(counts.writebacks, 12500 - l1_lines, 12500 - l2_lines, 12500 - l3_lines);
}

/* The second call of a copy and of a triad whose arrays do not fit: what a repeated call
 * moves. */
TEST("a repeated triad moves three lines in and one out")
{
    enum { n = 80000 };
    const uint64_t a = base, b = a + (1 << 21), c = b + (1 << 21);
    struct cache_model *model = model_new(&small);
    struct cache_counts first, counts;

    for (int call = 0; call < 2; call++) {
        first = cache_model_counts(model);
        for (uint64_t i = 0; i < n; i++) {
            load(model, a + 8 * i, 8);
            load(model, b + 8 * i, 8);
            store(model, c + 8 * i, 8);
        }
    }
    counts = cache_model_counts(model);
    counts = cache_counts_since(&counts, &first);
    check_levels(counts.fills, 3 * n / 8, 3 * n / 8, 3 * n / 8);
    check_levels(counts.writebacks, n / 8, n / 8, n / 8);
    model_end(model);
}

TEST("strides")
{
    static const struct {
        uint64_t stride, accesses, fills;
    } cases[] = {{16, 8192, 2048}, {64, 2048, 2048}, {192, 2048, 2048}, {4096, 300, 300}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cache_model *model = model_new(&small);

        for (uint64_t k = 0; k < cases[i].accesses; k++)
            load(model, base + cases[i].stride * k, 8);
        check_eq(model_end(model).fills[0], cases[i].fills);
    }
}

/* Ten sweeps over a block: the first fills what it fits into, the others hit there; LRU
 * loses every line of a block that is a little too large. */
TEST("blocks that fit are reused, others not")
{
    static const struct {
        uint64_t lines, fills[3];
    } cases[] = {
        {l1_lines, {l1_lines, l1_lines, l1_lines}},
        {l1_lines * 5 / 4, {l1_lines * 5 / 4 * 10, l1_lines * 5 / 4, l1_lines * 5 / 4}},
        {l2_lines, {l2_lines * 10, l2_lines, l2_lines}},
        {l3_lines, {l3_lines * 10, l3_lines * 10, l3_lines}},
        {l3_lines * 9 / 8, {l3_lines * 45 / 4, l3_lines * 45 / 4, l3_lines * 45 / 4}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cache_model *model = model_new(&small);
        struct cache_counts counts;

        for (uint64_t k = 0; k < 10 * cases[i].lines; k++)
            load(model, base + line * (k % cases[i].lines), 8);
        counts = model_end(model);
        check_levels(counts.fills, cases[i].fills[0], cases[i].fills[1],
                     cases[i].fills[2]);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Lines picked at random from a footprint are hits as often as the cache holds its share
 * of the footprint. */
TEST("random reuse is the share held")
{
    enum { n = 400000 };
    struct cache_model *model = model_new(&small);
    struct cache_counts cold, counts;
    uint64_t state = 1;

    for (int i = 0; i < 100000; i++)
        load(model, base + line * (next_random(&state) % (4 * l3_lines)), 8);
    cold = cache_model_counts(model);
    for (int i = 0; i < n; i++)
        load(model, base + line * (next_random(&state) % (4 * l3_lines)), 8);
    counts = cache_model_counts(model);
    counts = cache_counts_since(&counts, &cold);
    check_near((double)counts.fills[2], n * 0.75, 0.01);
    check_near((double)counts.fills[1], n * (1 - 1 / 32.0), 0.005);
    check((double)counts.covered[2] < 0.01 * n);
    model_end(model);
}

TEST("accesses across lines")
{
    struct cache_model *model = model_new(&small);
    struct cache_counts counts;

    load(model, base + 60, 8);           /* 2 lines */
    store(model, base + 4096, 64);       /* 1 */
    store(model, base + 8191, 2);        /* 2 */
    load(model, base + 16384 + 1, 1000); /* 16 */
    load(model, base + 16384 + 999, 1);  /* there */
    counts = model_end(model);
    check_eq(counts.accesses, 5);
    check_eq(counts.bytes, 8 + 64 + 2 + 1000 + 1);
    check_eq(counts.fills[0], 2 + 1 + 2 + 16);
}

/* Sizes that are no power of two hold exactly what they say. */
TEST("sizes that are no power of two")
{
    static const int lines[] = {3 * 12, 7 * 11, 1000 * 16, 37 * 5};

    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        for (int folded = 0; folded < 2; folded++) {
            struct cache_geometry geometry = {.line_bytes = 128, .level_nr = 1};
            static const int ways[] = {12, 11, 16, 5};
            struct cache_model *model;
            uint64_t fills;

            geometry.level[0].bytes = (uint64_t)lines[i] * 128;
            geometry.level[0].ways = ways[i];
            geometry.level[0].folded = folded;
            model = model_new(&geometry);
            check_eq(cache_model_capacity(model, 0), lines[i]);
            for (int k = 0; k < 3 * lines[i]; k++)
                load(model, base + (uint64_t)(k % lines[i]) * 128, 8);
            fills = model_end(model).fills[0];
            if (folded) /* the last piece of the range may be mixed beyond it */
                check(fills >= (uint64_t)lines[i] && fills <= (uint64_t)lines[i] * 4 / 3);
            else
                check_eq(fills, lines[i]);
        }
}

/* Columns of a matrix with a row of 4 KiB: all in one set of L1 (4 ways), spread over a
 * folded cache. */
TEST("conflicts in one set")
{
    struct cache_model *model = model_new(&small);
    struct cache_counts counts;

    for (uint64_t k = 0; k < 10 * 100; k++)
        load(model, base + 4096 * (k % 100), 8);
    counts = model_end(model);
    check_eq(counts.fills[0], 1000);
    check_eq(counts.fills[2], 100);
}

TEST("non-temporal stores")
{
    struct cache_model *model = model_new(&small);
    struct cache_counts counts;

    store(model, base, 8); /* leaves the caches without a write-back of its own */
    for (uint64_t i = 0; i < 1000 * line / 16; i++)
        nontemporal(model, base + 16 * i, 16);
    nontemporal(model, base, line); /* again: once more */
    nontemporal(model, base, line);
    nontemporal(model, base + 100000, 8); /* a part of a line counts as one */
    load(model, base, 8);                 /* gone: a miss */
    counts = model_end(model);
    check_eq(counts.nontemporal, 1003);
    check_levels(counts.fills, 2, 2, 2);
    check_levels(counts.writebacks, 0, 0, 0);
}

/* Two streams into the same lines' halves are merged; more than the buffers hold are not.
 */
TEST("non-temporal stores merge in 12 buffers")
{
    static const struct {
        uint64_t streams, lines;
    } cases[] = {{2, 200}, {12, 1200}, {13, 2 * 1300}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cache_model *model = model_new(&small);

        for (uint64_t half = 0; half < 200; half++)
            for (uint64_t s = 0; s < cases[i].streams; s++)
                nontemporal(model, base + s * (1 << 20) + half * 32, 32);
        check_eq(model_end(model).nontemporal, cases[i].lines);
    }
}

TEST("prefetch to L1")
{
    struct cache_model *model = model_new(&small);
    struct cache_counts counts;

    for (uint64_t i = 0; i < 1000; i++) {
        prefetch(model, base + line * (i + 8), 0);
        load(model, base + line * i, 8);
    }
    counts = model_end(model);
    check_eq(counts.accesses, 1000);
    check_levels(counts.software, 1000, 1000, 1000);
    check_levels(counts.fills, 1008, 1008, 1008);
    check_levels(counts.covered, 6, 6, 6); /* of the 8 before the first prefetched line */
}

TEST("prefetch to L2")
{
    struct cache_model *model = model_new(&small);
    struct cache_counts counts;

    for (uint64_t i = 0; i < 1000; i++) {
        prefetch(model, base + 4096 * (i + 8) + line * (i % 64), 1);
        if (i >= 8)
            load(model, base + 4096 * i + line * ((i - 8) % 64), 8);
    }
    counts = model_end(model);
    check_levels(counts.software, 0, 1000, 1000);
    check_levels(counts.fills, 992, 1000, 1000);
    check_levels(counts.l1_from, 992, 0, 0);
}

/* Streams walked in step: 62 of 64 lines of each page as long as all are followed; with
 * twice as many, two misses of each stream train it and push another one out: about a
 * third. */
TEST("streams are covered")
{
    static const struct {
        int followed, streams, step;
        double covered;
    } cases[] = {
        {0, 1, 1, 62 / 64.0},   {0, 1, -1, 62 / 64.0}, {0, 1, 2, 30 / 32.0},
        {0, 3, 1, 62 / 64.0},   {0, 16, 1, 62 / 64.0}, {0, 16, -1, 62 / 64.0},
        {32, 32, 1, 62 / 64.0}, {8, 16, 1, 0.32},      {-1, 1, 1, 0},
        {0, 1, 5, 0},
    };
    enum { lines = 64 * 20 };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cache_geometry geometry = small;
        struct cache_model *model;
        struct cache_counts counts;

        geometry.streams = cases[i].followed;
        model = model_new(&geometry);
        for (int at = 0; at < lines; at += abs(cases[i].step))
            for (int s = 0; s < cases[i].streams; s++)
                load(model,
                     base + ((uint64_t)s << 24) +
                         (uint64_t)(cases[i].step > 0 ? at : lines - 1 - at) * line,
                     8);
        counts = model_end(model);
        check_near((double)counts.covered[2], cases[i].covered * (double)counts.fills[2],
                   cases[i].covered == 0.32 ? 0.1 : 0);
        check_eq(counts.l1_covered[2], counts.covered[2]);
    }
}

/* Random misses between the lines of a stream do not end it. */
TEST("a stream amid random misses")
{
    struct cache_model *model = model_new(&small);
    uint64_t state = 7;
    enum { lines = 6400 };

    for (uint64_t i = 0; i < lines; i++) {
        load(model, base + line * i, 8);
        for (int k = 0; k < 16; k++)
            load(model, base + (UINT64_C(1) << 34) + 8 * next_random(&state), 8);
    }
    check_near((double)model_end(model).covered[2], lines * 62 / 64.0, 0.02);
}

TEST("page walks")
{
    static const struct {
        uint64_t page_bytes;
        int entries;
        uint64_t pages, walks;
    } cases[] = {
        {4096, 64, 64, 64},    {4096, 64, 128, 1280},       {4096, 1536, 1536, 1536},
        {1 << 21, 64, 64, 64}, {1 << 21, 1024, 1000, 1000}, {1 << 21, 16, 20, 200},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cache_geometry geometry = small;
        struct cache_model *model;

        geometry.page_bytes = cases[i].page_bytes;
        geometry.tlb_entries = cases[i].entries;
        geometry.level[0].bytes = 4 * line; /* so that every access asks the TLB */
        model = model_new(&geometry);
        for (uint64_t k = 0; k < 10 * cases[i].pages; k++)
            load(model, base + (k % cases[i].pages) * cases[i].page_bytes, 8);
        check_eq(model_end(model).walks, cases[i].walks);
    }
}

TEST("overwritten lines")
{
    struct cache_geometry geometry = small;
    struct cache_model *model;
    struct cache_counts counts;

    geometry.overwritten = true;
    model = model_new(&geometry);
    for (uint64_t i = 0; i < 100 * 8; i++) /* whole lines */
        store(model, base + 8 * i, 8);
    for (uint64_t i = 0; i < 100; i++) /* half lines */
        store(model, base + (1 << 20) + line * i, 32);
    for (uint64_t i = 0; i < 100; i++) { /* read while half written */
        store(model, base + (2 << 20) + line * i, 32);
        load(model, base + (2 << 20) + line * i + 28, 8);
        store(model, base + (2 << 20) + line * i + 32, 32);
    }
    for (uint64_t i = 0; i < 100; i++) { /* only bytes already written are read */
        store(model, base + (3 << 20) + line * i, 40);
        load(model, base + (3 << 20) + line * i + 16, 8);
        store(model, base + (3 << 20) + line * i + 32, 32);
    }
    counts = model_end(model);
    check_eq(counts.fills[2], 400);
    check_eq(counts.overwritten, 200);
}

TEST("wrong geometries are refused")
{
    static const struct cache_geometry wrong[] = {
        {.line_bytes = 60,
         .level_nr = 1,
         .level = {{.bytes = 4096, .ways = 4, .folded = false}}},
        {.line_bytes = 64, .level_nr = 0},
        {.line_bytes = 64, .level_nr = 5},
        {.line_bytes = 64,
         .level_nr = 1,
         .level = {{.bytes = 32, .ways = 4, .folded = false}}},
        {.line_bytes = 64,
         .level_nr = 1,
         .level = {{.bytes = 4096, .ways = 4, .folded = false}},
         .page_bytes = 3000},
    };

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct cache_model *model = malloc(sizeof(*model));
        const char *why = NULL;

        check_eq(cache_model_init(model, &wrong[i], &why), -1);
        check(why != NULL);
        free(model);
    }
}
