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

/* ---- models beside another ---- */

static void feed(struct cache_model *model, int part, uint64_t what, uint64_t address,
                 uint64_t bytes)
{
    struct cache_part *of = &model->part[part];

    if (what < 5)
        cache_model_load(model, of, address, bytes);
    else if (what < 8)
        cache_model_store(model, of, address, bytes);
    else if (what < 9)
        cache_model_prefetch(model, of, address, (int)(address / 64 % 2));
    else
        cache_model_nontemporal(model, of, address & ~UINT64_C(15), 16);
}

static void check_same_state(const struct cache_model *got,
                             const struct cache_model *want)
{
    struct cache_counts a = cache_model_counts(got), b = cache_model_counts(want);
    uint64_t left[CACHE_LEVELS_MAX], same[CACHE_LEVELS_MAX];

    check_same(&a, &b);
    cache_model_dirty(got, left, NULL);
    cache_model_dirty(want, same, NULL);
    for (int k = 0; k < want->level_nr; k++) {
        check_eq((long long)left[k], (long long)same[k]);
        check_eq((long long)cache_model_capacity(got, k),
                 (long long)cache_model_capacity(want, k));
    }
}

struct beside_case {
    struct cache_model main, other[2], alone[2];
};

static void feed_all(struct beside_case *of, uint64_t *state, uint64_t footprint,
                     uint64_t sweep)
{
    uint64_t what = random_below(state, 10), bytes = 1 + random_below(state, 9);
    uint64_t address = (UINT64_C(1) << 33) + random_below(state, footprint);

    if (sweep % 4) /* one of 3 streams, of which one overwrites its lines */
        address = (UINT64_C(1) << 36) + (sweep % 4 << 24) + sweep / 4 * 8 % footprint;
    if (sweep % 4 == 1) {
        what = 5;
        bytes = 8;
    }
    feed(&of->main, (int)(sweep % PARTS), what, address, bytes);
    for (int i = 0; i < 2; i++) {
        feed(&of->alone[i], 0, what, address, bytes);
        if (!cache_model_is_beside(&of->other[i]))
            feed(&of->other[i], 0, what, address, bytes);
    }
}

static void beside(const struct cache_geometry *geometry, uint64_t footprint, bool shared)
{
    struct beside_case *of = xcalloc(1, sizeof(*of));
    uint64_t state = 88172645463325252u;
    const char *why;

    check_eq(cache_model_init(&of->main, &geometry[0], &why), 0);
    while (of->main.part_nr < PARTS)
        cache_model_part(&of->main);
    for (int i = 0; i < 2; i++) {
        check_eq(
            cache_model_init_beside(&of->other[i], &of->main, &geometry[i + 1], &why), 0);
        check_eq(cache_model_init(&of->alone[i], &geometry[i + 1], &why), 0);
        check_eq(cache_model_is_beside(&of->other[i]), shared);
    }
    for (uint64_t i = 0; i < 120000; i++) {
        feed_all(of, &state, footprint, i);
        if (i == 50000) { /* as between two windows */
            cache_model_empty(&of->main);
            for (int j = 0; j < 2; j++) {
                cache_model_empty(&of->other[j]);
                cache_model_empty(&of->alone[j]);
            }
        }
    }
    cache_model_drain(&of->main);
    for (int i = 0; i < 2; i++) {
        cache_model_drain(&of->other[i]);
        cache_model_drain(&of->alone[i]);
        check_same_state(&of->other[i], &of->alone[i]);
        check(i > 0 || cache_model_counts(&of->alone[i]).writebacks[2] > 0);
        check(cache_model_counts(&of->alone[i]).overwritten > 0);
        cache_model_release(&of->other[i]);
        cache_model_release(&of->alone[i]);
    }
    cache_model_release(&of->main);
    free(of);
}

/* The same counts whether it shares levels, is fed beside, or is alone. */
TEST("caches that differ in the last level")
{
    struct cache_geometry geometry[3] = {geometries[0], geometries[0], geometries[0]};

    geometry[1].level[2].bytes = 40960;
    geometry[2].level[2].bytes = 1 << 20;
    beside(geometry, 1 << 14, true);
    beside(geometry, 1 << 20, true);
}

TEST("caches that differ in an earlier level share nothing")
{
    struct cache_geometry geometry[3] = {geometries[0], geometries[0], geometries[0]};

    geometry[1].level[1].bytes = 16384;
    geometry[2].level[0].bytes = 2048;
    beside(geometry, 1 << 18, false);
    geometry[1] = geometry[2] = geometry[0];
    geometry[1].level[2].inclusion = geometry[2].level[2].inclusion = CACHE_INCLUSIVE;
    beside(geometry, 1 << 18, false);
}
