/*
 * The cache model against a slow simulator written from its rules (cache_model.h,
 * cache_streams.h) in another way: lists searched from end to end, times instead of
 * orders.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/traffic/cache_model.h"
#include "tests/check.h"

struct ref_line {
    uint64_t line, used; /* used: time, 0 = empty */
    bool dirty, pending;
    bool written[1024]; /* bytes */
};

struct ref_level {
    struct ref_line *way; /* set_nr x way_nr */
    uint64_t set_nr, way_nr, fold;
};

struct ref_page {
    uint64_t page, used;
    int at, step;
};

struct reference {
    const struct cache_geometry *geometry;
    struct ref_level level[CACHE_LEVELS_MAX], tlb;
    struct ref_page stream[CACHE_STREAMS_MAX], candidate[CACHE_CANDIDATES];
    uint64_t next_candidate, time, line_bytes;
    struct ref_line buffer[CACHE_LINE_BUFFERS];
    uint64_t next_buffer;
    struct cache_counts counts;
};

static void ref_level_init(struct ref_level *level, uint64_t lines, uint64_t ways,
                           bool folded)
{
    level->way_nr = lines < ways ? lines : ways;
    level->set_nr = lines / level->way_nr;
    level->fold = folded ? level->set_nr : 0;
    level->way = xcalloc(level->set_nr * level->way_nr, sizeof(*level->way));
}

/* A line's set: line mod sets, after xoring the two next groups of bits into the lowest
 * ones. */
static struct ref_line *ref_set(const struct ref_level *level, uint64_t line)
{
    uint64_t block = 1;

    while (2 * block <= level->fold)
        block *= 2;
    if (level->fold > 1)
        line = line / block * block +
               (line % block ^ line / block % block ^ line / block / block % block);
    return &level->way[line % level->set_nr * level->way_nr];
}

static struct ref_line *ref_find(const struct ref_level *level, uint64_t line)
{
    struct ref_line *set = ref_set(level, line);

    for (uint64_t i = 0; i < level->way_nr; i++)
        if (set[i].used && set[i].line == line)
            return &set[i];
    return NULL;
}

static void ref_write_back(struct reference *ref, int k, uint64_t line);

static struct ref_line *ref_insert(struct reference *ref, int k, struct ref_level *level,
                                   uint64_t line)
{
    struct ref_line *oldest = ref_set(level, line), old;

    for (uint64_t i = 1; i < level->way_nr; i++)
        if (ref_set(level, line)[i].used < oldest->used)
            oldest = &ref_set(level, line)[i];
    old = *oldest;
    memset(oldest, 0, sizeof(*oldest));
    oldest->line = line;
    oldest->used = ++ref->time;
    if (old.used && old.dirty)
        ref_write_back(ref, k, old.line);
    return oldest;
}

static void ref_write_back(struct reference *ref, int k, uint64_t line)
{
    struct ref_line *below;

    ref->counts.writebacks[k]++;
    if (k + 1 == ref->geometry->level_nr)
        return;
    below = ref_find(&ref->level[k + 1], line);
    if (!below)
        below = ref_insert(ref, k + 1, &ref->level[k + 1], line);
    below->dirty = true;
}

static void ref_translate(struct reference *ref, uint64_t line)
{
    uint64_t page = line * ref->line_bytes / ref->geometry->page_bytes;
    struct ref_line *entry = ref_find(&ref->tlb, page);

    if (entry) {
        entry->used = ++ref->time;
        return;
    }
    ref->counts.walks++;
    ref_insert(ref, 0, &ref->tlb, page);
}

static void ref_candidate(struct reference *ref, uint64_t page, int at)
{
    ref->candidate[ref->next_candidate++ % CACHE_CANDIDATES] =
        (struct ref_page){page, 1, at, 0};
}

static struct ref_page *ref_oldest_stream(struct reference *ref)
{
    struct ref_page *oldest = &ref->stream[0];

    for (int i = 1; i < ref->geometry->streams; i++)
        if (ref->stream[i].used < oldest->used)
            oldest = &ref->stream[i];
    return oldest;
}

static bool ref_covered(struct reference *ref, uint64_t line)
{
    uint64_t page = line * ref->line_bytes / 4096;
    int at = (int)(line % (4096 / ref->line_bytes)), step;

    for (int i = 0; i < ref->geometry->streams; i++) {
        struct ref_page *stream = &ref->stream[i];

        if (!stream->used || stream->page != page)
            continue;
        step = (at - stream->at) * stream->step;
        stream->at = at;
        stream->used = step >= 1 && step <= 4 ? ++ref->time : 0;
        if (!stream->used)
            ref_candidate(ref, page, at);
        return stream->used != 0;
    }
    for (int i = 0; i < CACHE_CANDIDATES; i++) {
        struct ref_page *candidate = &ref->candidate[i];

        if (!candidate->used || candidate->page != page)
            continue;
        step = at - candidate->at;
        candidate->at = at;
        if (step == 0 || abs(step) > 4)
            return false;
        candidate->used = 0;
        *ref_oldest_stream(ref) =
            (struct ref_page){page, ++ref->time, at, step > 0 ? 1 : -1};
        return false;
    }
    ref_candidate(ref, page, at);
    return false;
}

/* A miss of level `to`: counts for every level down to where the line is, then fills
 * upwards. */
static struct ref_line *ref_fetch(struct reference *ref, uint64_t line, int to,
                                  bool software, int *found)
{
    int level_nr = ref->geometry->level_nr;
    struct ref_line *got = NULL;
    bool covered;

    ref_translate(ref, line);
    covered = !software && ref->geometry->streams > 0 && ref_covered(ref, line);
    for (*found = to + 1; *found < level_nr; ++*found)
        if ((got = ref_find(&ref->level[*found], line)) != NULL)
            break;
    if (got)
        got->used = ++ref->time;
    for (int k = *found - 1; k >= to; k--) {
        ref->counts.fills[k]++;
        ref->counts.covered[k] += covered;
        ref->counts.software[k] += software;
        got = ref_insert(ref, k, &ref->level[k], line);
    }
    ref->counts.l1_from[*found - 1] += to == 0;
    ref->counts.l1_covered[*found - 1] += to == 0 && covered;
    return got;
}

static bool all_written(const struct reference *ref, const struct ref_line *line,
                        uint64_t from, uint64_t bytes)
{
    (void)ref;
    for (uint64_t i = from; i < from + bytes; i++)
        if (!line->written[i])
            return false;
    return true;
}

static void ref_note(struct reference *ref, struct ref_line *line, uint64_t offset,
                     uint64_t bytes, bool write)
{
    if (!line->pending)
        return;
    if (!write) {
        line->pending = all_written(ref, line, offset, bytes);
        return;
    }
    memset(line->written + offset, true, bytes);
    if (all_written(ref, line, 0, ref->line_bytes)) {
        ref->counts.overwritten++;
        line->pending = false;
    }
}

static void ref_touch(struct reference *ref, uint64_t line, uint64_t offset,
                      uint64_t bytes, bool write)
{
    struct ref_line *got = ref_find(&ref->level[0], line);
    int found;

    if (!got) {
        got = ref_fetch(ref, line, 0, false, &found);
        got->pending = write && found == ref->geometry->level_nr;
    }
    got->used = ++ref->time;
    got->dirty |= write;
    ref_note(ref, got, offset, bytes, write);
}

/* Calls `each` line's part of an access. */
static void ref_access(struct reference *ref, uint64_t address, uint64_t bytes,
                       bool write)
{
    ref->counts.accesses++;
    ref->counts.bytes += bytes;
    for (uint64_t end = address + bytes; address < end;) {
        uint64_t next = (address / ref->line_bytes + 1) * ref->line_bytes;
        uint64_t here = (next < end ? next : end) - address;

        ref_touch(ref, address / ref->line_bytes, address % ref->line_bytes, here, write);
        address += here;
    }
}

static void ref_prefetch(struct reference *ref, uint64_t address, int level)
{
    uint64_t line = address / ref->line_bytes;
    int found;

    if (level >= ref->geometry->level_nr)
        level = ref->geometry->level_nr - 1;
    for (int k = 0; k <= level; k++)
        if (ref_find(&ref->level[k], line))
            return;
    ref_fetch(ref, line, level, true, &found);
}

static struct ref_line *ref_buffer(struct reference *ref, uint64_t line)
{
    struct ref_line *buffer, *cached;

    for (int i = 0; i < CACHE_LINE_BUFFERS; i++)
        if (ref->buffer[i].used && ref->buffer[i].line == line)
            return &ref->buffer[i];
    buffer = &ref->buffer[ref->next_buffer++ % CACHE_LINE_BUFFERS];
    ref->counts.nontemporal += buffer->used;
    memset(buffer, 0, sizeof(*buffer));
    buffer->line = line;
    buffer->used = 1;
    for (int k = 0; k < ref->geometry->level_nr; k++)
        if ((cached = ref_find(&ref->level[k], line)) != NULL)
            memset(cached, 0, sizeof(*cached));
    return buffer;
}

static void ref_nontemporal(struct reference *ref, uint64_t address, uint64_t bytes)
{
    ref->counts.accesses++;
    ref->counts.bytes += bytes;
    for (uint64_t i = 0; i < bytes; i++) {
        struct ref_line *buffer = ref_buffer(ref, (address + i) / ref->line_bytes);

        buffer->written[(address + i) % ref->line_bytes] = true;
        if (all_written(ref, buffer, 0, ref->line_bytes)) {
            ref->counts.nontemporal++;
            buffer->used = 0;
        }
    }
}

static struct reference *reference_new(const struct cache_geometry *geometry)
{
    struct reference *ref = xcalloc(1, sizeof(*ref));

    ref->geometry = geometry;
    ref->line_bytes = (uint64_t)geometry->line_bytes;
    for (int k = 0; k < geometry->level_nr; k++)
        ref_level_init(&ref->level[k], geometry->level[k].bytes / ref->line_bytes,
                       (uint64_t)geometry->level[k].ways, geometry->level[k].folded);
    ref_level_init(&ref->tlb, (uint64_t)geometry->tlb_entries, 16, true);
    return ref;
}

static void reference_free(struct reference *ref)
{
    for (int k = 0; k < ref->geometry->level_nr; k++)
        free(ref->level[k].way);
    free(ref->tlb.way);
    free(ref);
}

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

static uint64_t random_below(uint64_t *state, uint64_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (*state >> 16) % below;
}

/* Streams, sweeps and random accesses of every kind and width, from both simulators. */
static void one_access(struct cache_model *model, struct reference *ref, uint64_t *state,
                       uint64_t footprint, uint64_t sweep)
{
    static const uint64_t widths[] = {1, 2, 4, 8, 16, 8, 8, 4, 200, 64};
    uint64_t what = random_below(state, 100), bytes = widths[random_below(state, 10)];
    uint64_t address = (UINT64_C(1) << 33) + random_below(state, footprint);

    if (what < 50) /* one of 20 streams, rising or falling */
        address = (UINT64_C(1) << 36) + (what % 20 << 24) +
                  (what % 3 ? sweep * 8 : (1 << 23) - sweep * 8) % (4 * footprint);
    if (what % 10 < 5) {
        cache_model_load(model, model->part, address, bytes);
        ref_access(ref, address, bytes, false);
    } else if (what % 10 < 8) {
        cache_model_store(model, model->part, address, bytes);
        ref_access(ref, address, bytes, true);
    } else if (what % 10 < 9) {
        cache_model_prefetch(model, model->part, address, (int)(what / 10 % 2));
        ref_prefetch(ref, address, (int)(what / 10 % 2));
    } else {
        address &= ~(uint64_t)15; /* whole granules of lines of up to 1 KiB */
        cache_model_nontemporal(model, model->part, address, 16);
        ref_nontemporal(ref, address, 16);
    }
}

static void compare(const struct cache_geometry *geometry, uint64_t footprint,
                    uint64_t seed)
{
    struct cache_model *model = xcalloc(1, sizeof(*model));
    struct reference *ref = reference_new(geometry);
    struct cache_counts got;
    const char *why;

    if (cache_model_init(model, geometry, &why)) {
        CU_FAIL("no model");
        return;
    }
    for (uint64_t i = 0; i < 60000; i++)
        one_access(model, ref, &seed, footprint, i / 8);
    got = cache_model_counts(model);
    check_same(&got, &ref->counts);
    check(ref->counts.walks && ref->counts.nontemporal && ref->counts.writebacks[0]);
    cache_model_release(model);
    free(model);
    reference_free(ref);
}

/* Lines of 64 bytes where granules are bytes, so that the reference may count bytes. */
static const struct cache_geometry geometries[] = {
    {64,
     3,
     {{4096, 4, false}, {32768, 8, true}, {3 * 65536, 12, true}},
     4096,
     64,
     16,
     true},
    {64,
     3,
     {{3072, 3, false}, {7 * 64 * 5, 5, true}, {100 * 64 * 16, 16, true}},
     4096,
     100,
     4,
     true},
    {64, 2, {{64 * 16, 16, false}, {1000 * 64 * 9, 9, false}}, 1 << 21, 32, 32, true},
    {32, 1, {{2048, 2, false}}, 4096, 16, -1, true},
    {64,
     4,
     {{1024, 1, false}, {2048, 2, false}, {8192, 8, true}, {65536, 16, true}},
     4096,
     48,
     64,
     true},
};

static void test_small_footprint(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(geometries); i++)
        compare(&geometries[i], 8192, 88172645463325252u + i);
}

static void test_large_footprint(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(geometries); i++)
        compare(&geometries[i], 1 << 21, 362436069362436069u + i);
}

CU_TestInfo traffic_reference_tests[] = {
    {"random strings within a small footprint", test_small_footprint},
    {"random strings within a large footprint", test_large_footprint},
    CU_TEST_INFO_NULL,
};
