/* The cache model against the slow one of reference_model.h. */
#include <stdlib.h>

#include "core/base/array.h"
#include "tests/check.h"
#include "tests/core/traffic/reference_model.h"

SUITE(traffic_reference);

static void check_same(const struct cache_counts *got, const struct cache_counts *want)
{
#define X(name)                                                                          \
    for (int k = 0; k < CACHE_LEVELS_MAX; k++)                                           \
        check_eq_at((long long)got->name[k], (long long)want->name[k], #name, HERE);
    CACHE_LEVEL_COUNT_MAP(X)
#undef X
#define X(name) check_eq_at((long long)got->name, (long long)want->name, #name, HERE);
    CACHE_COUNT_MAP(X)
#undef X
}

/* Streams, sweeps and random accesses of every kind and width, from both simulators. */
static void one_access(struct cache_model *model, struct reference *ref, uint64_t *state,
                       uint64_t footprint, uint64_t sweep)
{
    static const uint64_t widths[] = {1, 2, 4, 8, 16, 8, 8, 4, 200, 64};
    uint64_t what = random_below(state, 100), bytes = widths[random_below(state, 10)];
    uint64_t address = (UINT64_C(1) << 33) + random_below(state, footprint);

    ref->part = (int)(what % PARTS);
    if (what < 50) /* one of 20 streams, rising or falling */
        address = (UINT64_C(1) << 36) + (what % 20 << 24) +
                  (what % 3 ? sweep * 8 : (1 << 23) - sweep * 8) % (4 * footprint);
    if (what % 10 < 5) {
        cache_model_load(model, &model->part[ref->part], address, bytes);
        reference_access(ref, address, bytes, false);
    } else if (what % 10 < 8) {
        cache_model_store(model, &model->part[ref->part], address, bytes);
        reference_access(ref, address, bytes, true);
    } else if (what % 10 < 9) {
        cache_model_prefetch(model, &model->part[ref->part], address,
                             (int)(what / 10 % 2));
        reference_prefetch(ref, address, (int)(what / 10 % 2));
    } else {
        address &= ~(uint64_t)15; /* whole granules of lines of up to 1 KiB */
        cache_model_nontemporal(model, &model->part[ref->part], address, 16);
        reference_nontemporal(ref, address, 16);
    }
}

static void compare(const struct cache_geometry *geometry, uint64_t footprint,
                    uint64_t seed)
{
    struct cache_model *model = xcalloc(1, sizeof(*model));
    struct reference *ref = reference_new(geometry);
    const char *why;

    if (cache_model_init(model, geometry, &why)) {
        CU_FAIL("no model");
        return;
    }
    while (model->part_nr < PARTS)
        cache_model_part(model);
    for (uint64_t i = 0; i < 60000; i++)
        one_access(model, ref, &seed, footprint, i / 8);
    for (uint32_t i = 0; i < PARTS; i++) {
        struct cache_counts got = cache_part_counts(model, i);

        check_same(&got, &ref->counts[i]);
        check(ref->counts[i].walks && ref->counts[i].writebacks[0]);
    }
    cache_model_release(model);
    free(model);
    reference_free(ref);
}

/* Lines of 64 bytes where granules are bytes, so that the reference may count bytes. */
static const struct cache_geometry geometries[] = {
    {.line_bytes = 64,
     .level_nr = 3,
     .level = {LEVEL(4096, 4, false, NON_INCLUSIVE), LEVEL(32768, 8, true, NON_INCLUSIVE),
               LEVEL(3 * 65536, 12, true, NON_INCLUSIVE)},
     .page_bytes = 4096,
     .tlb_entries = 64,
     .streams = 16,
     .overwritten = true},
    {.line_bytes = 64,
     .level_nr = 3,
     .level = {LEVEL(3072, 3, false, NON_INCLUSIVE),
               LEVEL(7 * 64 * 5, 5, true, NON_INCLUSIVE),
               LEVEL(100 * 64 * 16, 16, true, NON_INCLUSIVE)},
     .page_bytes = 4096,
     .tlb_entries = 100,
     .streams = 4,
     .overwritten = true},
    {.line_bytes = 64,
     .level_nr = 2,
     .level = {LEVEL(64 * 16, 16, false, NON_INCLUSIVE),
               LEVEL(1000 * 64 * 9, 9, false, NON_INCLUSIVE)},
     .page_bytes = 1 << 21,
     .tlb_entries = 32,
     .streams = 32,
     .overwritten = true},
    {.line_bytes = 32,
     .level_nr = 1,
     .level = {LEVEL(2048, 2, false, NON_INCLUSIVE)},
     .page_bytes = 4096,
     .tlb_entries = 16,
     .streams = -1,
     .overwritten = true},
    {.line_bytes = 64,
     .level_nr = 4,
     .level = {LEVEL(1024, 1, false, NON_INCLUSIVE), LEVEL(2048, 2, false, NON_INCLUSIVE),
               LEVEL(8192, 8, true, NON_INCLUSIVE),
               LEVEL(65536, 16, true, NON_INCLUSIVE)},
     .page_bytes = 4096,
     .tlb_entries = 48,
     .streams = 64,
     .overwritten = true},
    /* so few sets that their clocks go round */
    {.line_bytes = 64,
     .level_nr = 3,
     .level = {LEVEL(256, 4, false, NON_INCLUSIVE), LEVEL(512, 8, false, NON_INCLUSIVE),
               LEVEL(2048, 16, true, NON_INCLUSIVE)},
     .page_bytes = 4096,
     .tlb_entries = 8,
     .streams = 16,
     .overwritten = true},
    /* what leaves a level acts upon others */
    {.line_bytes = 64,
     .level_nr = 3,
     .level = {LEVEL(4096, 4, false, NON_INCLUSIVE), LEVEL(8192, 4, true, NON_INCLUSIVE),
               LEVEL(3 * 4096, 12, true, INCLUSIVE)},
     .page_bytes = 4096,
     .tlb_entries = 64,
     .streams = 16,
     .overwritten = true},
    {.line_bytes = 64,
     .level_nr = 3,
     .level = {LEVEL(2048, 4, false, NON_INCLUSIVE), LEVEL(4096, 2, false, INCLUSIVE),
               LEVEL(8192, 8, true, INCLUSIVE)},
     .page_bytes = 4096,
     .tlb_entries = 64,
     .streams = 16,
     .overwritten = true},
    {.line_bytes = 64,
     .level_nr = 3,
     .level = {LEVEL(4096, 4, false, NON_INCLUSIVE), LEVEL(8192, 8, false, NON_INCLUSIVE),
               LEVEL(65536, 16, true, EXCLUSIVE)},
     .page_bytes = 4096,
     .tlb_entries = 64,
     .streams = 16,
     .overwritten = true},
    {.line_bytes = 64,
     .level_nr = 4,
     .level = {LEVEL(2048, 2, false, NON_INCLUSIVE), LEVEL(4096, 4, false, EXCLUSIVE),
               LEVEL(8192, 8, true, EXCLUSIVE), LEVEL(65536, 16, true, INCLUSIVE)},
     .page_bytes = 4096,
     .tlb_entries = 64,
     .streams = 16,
     .overwritten = true},
};

TEST("random strings within a small footprint")
{
    for (size_t i = 0; i < ARRAY_SIZE(geometries); i++)
        compare(&geometries[i], 8192, 88172645463325252u + i);
}

TEST("random strings within a large footprint")
{
    for (size_t i = 0; i < ARRAY_SIZE(geometries); i++)
        compare(&geometries[i], 1 << 21, 362436069362436069u + i);
}
