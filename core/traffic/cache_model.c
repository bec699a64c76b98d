#include "core/traffic/cache_model.h"

#include <stdlib.h>

#define NO_LINE CACHE_NO_LINE

/*
 * The hierarchy.
 */

static int insert(struct cache_model *model, int k, uint32_t index, uint64_t line,
                  uint64_t sign);

/* Sends a dirty line of level k down. */
static void write_back(struct cache_model *model, int k, uint64_t line)
{
    struct cache_level *below = &model->level[k + 1];
    uint64_t sign = cache_sign(line);
    uint32_t index;
    int way;

    model->events.writebacks[k]++;
    if (k + 1 == model->level_nr)
        return;
    index = cache_level_set(below, line);
    way = cache_level_find(below, index, line, sign);
    if (way < 0)
        way = insert(model, k + 1, index, line, sign);
    below->set[index].dirty |= (uint16_t)(1u << way);
}

/* Puts a line that is not there into level k, clean. Gives its way. */
static inline int insert(struct cache_model *model, int k, uint32_t index, uint64_t line,
                         uint64_t sign)
{
    struct cache_level *level = &model->level[k];
    struct cache_set *set = &level->set[index];
    unsigned way = cache_level_oldest(level, index);

    if (set->dirty >> way & 1) {
        uint64_t old = level->tag[(size_t)index * level->ways + way];

        set->dirty &= (uint16_t) ~(1u << way);
        cache_level_place(level, index, way, line, sign);
        write_back(model, k, old);
    } else {
        cache_level_place(level, index, way, line, sign);
    }
    return (int)way;
}

static void translate(struct cache_model *model, uint64_t line)
{
    struct cache_level *tlb = &model->tlb;
    uint64_t page = line >> model->page_shift, sign = cache_sign(page);
    uint32_t index = cache_level_set(tlb, page);
    int way = cache_level_find(tlb, index, page, sign);

    if (way >= 0) {
        cache_level_touch(tlb, index, (unsigned)way);
    } else {
        cache_level_place(tlb, index, cache_level_oldest(tlb, index), page, sign);
        model->events.walks++;
    }
}

struct fetched {
    int from; /* level it was found in, level_nr = memory */
    int way;  /* in the level it was brought into */
};

/* Brings a line that misses in level `to` into it and all below. */
static struct fetched fetch(struct cache_model *model, uint64_t line, int to,
                            enum cache_fetch kind)
{
    uint64_t sign = cache_sign(line);
    uint32_t index[CACHE_LEVELS_MAX];
    int found = to + 1, way = 0;

    for (int k = to; k < model->level_nr; k++) {
        index[k] = cache_level_set(&model->level[k], line);
        __builtin_prefetch(&model->level[k].set[index[k]]);
    }
    translate(model, line);
    if (kind == CACHE_DEMAND && cache_streams_miss(&model->streams, line))
        kind = CACHE_COVERED;
    for (; found < model->level_nr; found++) {
        struct cache_level *level = &model->level[found];

        way = cache_level_find(level, index[found], line, sign);
        if (way >= 0) {
            cache_level_touch(level, index[found], (unsigned)way);
            break;
        }
    }
    model->events.fetched[kind][found]++;
    for (int k = found - 1; k >= to; k--)
        way = insert(model, k, index[k], line, sign);
    return (struct fetched){found, way};
}

/* Granules of a line from the `first` up to but not including `end`, as a mask. */
static uint64_t granules(uint64_t first, uint64_t end)
{
    return end <= first ? 0 : (UINT64_MAX >> (64 - (end - first))) << first;
}

/* Those that an access covers entirely. */
static uint64_t granules_covered(const struct cache_model *model, uint64_t offset,
                                 uint64_t bytes)
{
    uint64_t round = (UINT64_C(1) << model->granule_shift) - 1;

    return granules((offset + round) >> model->granule_shift,
                    (offset + bytes) >> model->granule_shift);
}

/* Those that it touches. */
static uint64_t granules_touched(const struct cache_model *model, uint64_t offset,
                                 uint64_t bytes)
{
    return granules(offset >> model->granule_shift,
                    ((offset + bytes - 1) >> model->granule_shift) + 1);
}

/* Keeps account of a line that a store brought from memory. Gives whether it may still
 * turn out overwritten. */
static bool still_pending(struct cache_model *model, uint64_t *written, bool write,
                          uint64_t offset, uint64_t bytes)
{
    if (!write)
        return (granules_touched(model, offset, bytes) & ~*written) == 0;
    *written |= granules_covered(model, offset, bytes);
    if (*written != model->granules_full)
        return true;
    model->events.overwritten++;
    return false;
}

/* The line has been brought from memory by a store, or not: whether it may turn out
 * overwritten. */
static void set_pending(struct cache_level *l1, const struct cache_recent *recent,
                        uint16_t bit, bool pending)
{
    struct cache_set *set = &l1->set[recent->index];

    set->pending &= (uint16_t)~bit;
    if (pending) {
        set->pending |= bit;
        l1->written[recent->slot] = 0;
    }
}

/* Finds the line in L1 or brings it there. */
static void bring(struct cache_model *model, struct cache_recent *recent, uint64_t line,
                  bool write)
{
    struct cache_level *l1 = &model->level[0];
    uint32_t index = cache_level_set(l1, line);
    int way = cache_level_find(l1, index, line, cache_sign(line));

    if (way >= 0) {
        *recent = (struct cache_recent){line, index, index * l1->ways + (unsigned)way};
        return;
    }
    struct fetched fetched = fetch(model, line, 0, CACHE_DEMAND);

    *recent =
        (struct cache_recent){line, index, index * l1->ways + (unsigned)fetched.way};
    if (model->overwritten)
        set_pending(l1, recent, (uint16_t)(1u << fetched.way),
                    write && fetched.from == model->level_nr);
}

/* One access within one line, beyond the shortcut of load_line and store_line. */
static __attribute__((noinline)) void access_line(struct cache_model *model,
                                                  uint64_t line, bool write,
                                                  uint64_t offset, uint64_t bytes)
{
    struct cache_level *l1 = &model->level[0];
    struct cache_recent *recent =
        &model->recent[(line * UINT64_C(0x9e3779b97f4a7c15) >> 56) % CACHE_RECENT];
    struct cache_set *set;
    unsigned way;
    uint16_t bit;

    if (recent->line != line || l1->tag[recent->slot] != line)
        bring(model, recent, line, write);
    set = &l1->set[recent->index];
    way = recent->slot - recent->index * l1->ways;
    bit = (uint16_t)(1u << way);
    cache_level_touch(l1, recent->index, way);
    if (write)
        set->dirty |= bit;
    if (set->pending & bit &&
        !still_pending(model, &l1->written[recent->slot], write, offset, bytes))
        set->pending &= (uint16_t)~bit;
    model->load_line = set->pending & bit ? NO_LINE : line;
    model->store_line = set->pending & bit || !(set->dirty & bit) ? NO_LINE : line;
}

static __attribute__((noinline)) void
access_lines(struct cache_model *model, uint64_t address, uint64_t bytes, bool write)
{
    while (bytes) {
        uint64_t offset = address & model->line_mask;
        uint64_t here = model->line_mask + 1 - offset;

        if (here > bytes)
            here = bytes;
        access_line(model, address >> model->line_shift, write, offset, here);
        address += here;
        bytes -= here;
    }
}

void cache_model_load(struct cache_model *model, uint64_t address, uint64_t bytes)
{
    uint64_t line = address >> model->line_shift, offset = address & model->line_mask;

    model->events.accesses++;
    model->events.bytes += bytes;
    if (offset + bytes > model->line_mask + 1)
        access_lines(model, address, bytes, false);
    else if (line != model->load_line)
        access_line(model, line, false, offset, bytes);
}

void cache_model_store(struct cache_model *model, uint64_t address, uint64_t bytes)
{
    uint64_t line = address >> model->line_shift, offset = address & model->line_mask;

    model->events.accesses++;
    model->events.bytes += bytes;
    if (offset + bytes > model->line_mask + 1)
        access_lines(model, address, bytes, true);
    else if (line != model->store_line)
        access_line(model, line, true, offset, bytes);
}

static bool holds(const struct cache_level *level, uint64_t line)
{
    return cache_level_find(level, cache_level_set(level, line), line,
                            cache_sign(line)) >= 0;
}

void cache_model_prefetch(struct cache_model *model, uint64_t address, int level)
{
    uint64_t line = address >> model->line_shift;

    if (level >= model->level_nr)
        level = model->level_nr - 1;
    /* Whoever has it above has no use for it below. */
    for (int k = 0; k <= level; k++)
        if (holds(&model->level[k], line))
            return;
    model->load_line = model->store_line = NO_LINE;
    fetch(model, line, level, level == 0 ? CACHE_PREFETCH_L1 : CACHE_PREFETCH_L2);
}

static struct cache_line_buffer *line_buffer(struct cache_model *model, uint64_t line)
{
    struct cache_line_buffer *buffer;

    for (int i = 0; i < CACHE_LINE_BUFFERS; i++)
        if (model->buffer[i].line == line)
            return &model->buffer[i];
    buffer = &model->buffer[model->buffer_next++ % CACHE_LINE_BUFFERS];
    model->events.nontemporal += buffer->line != NO_LINE;
    *buffer = (struct cache_line_buffer){line, 0};
    for (int k = 0; k < model->level_nr; k++)
        cache_level_drop(&model->level[k], line);
    model->load_line = model->store_line = NO_LINE;
    return buffer;
}

void cache_model_nontemporal(struct cache_model *model, uint64_t address, uint64_t bytes)
{
    model->events.accesses++;
    model->events.bytes += bytes;
    while (bytes) {
        uint64_t offset = address & model->line_mask;
        uint64_t here = model->line_mask + 1 - offset;
        struct cache_line_buffer *buffer =
            line_buffer(model, address >> model->line_shift);

        if (here > bytes)
            here = bytes;
        buffer->written |= granules_covered(model, offset, here);
        if (buffer->written == model->granules_full) {
            model->events.nontemporal++;
            buffer->line = NO_LINE;
        }
        address += here;
        bytes -= here;
    }
}

void cache_model_drain(struct cache_model *model)
{
    for (int i = 0; i < CACHE_LINE_BUFFERS; i++) {
        model->events.nontemporal += model->buffer[i].line != NO_LINE;
        model->buffer[i].line = NO_LINE;
    }
}

/*
 * Life.
 */

static unsigned log2_of(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

static bool is_power(uint64_t n)
{
    return n && !(n & (n - 1));
}

static const char *geometry_wrong(const struct cache_geometry *geometry)
{
    if (!is_power((uint64_t)geometry->line_bytes) || geometry->line_bytes < 16 ||
        geometry->line_bytes > 1024)
        return "the line size of the cache model must be a power of two from 16 to 1024 "
               "bytes";
    if (geometry->level_nr < 1 || geometry->level_nr > CACHE_LEVELS_MAX)
        return "the cache model needs 1 to 4 levels";
    for (int k = 0; k < geometry->level_nr; k++)
        if (geometry->level[k].bytes < (uint64_t)geometry->line_bytes)
            return "a level of the cache model is smaller than a line";
    if (geometry->page_bytes && (!is_power(geometry->page_bytes) ||
                                 geometry->page_bytes < (uint64_t)geometry->line_bytes))
        return "the page size of the cache model must be a power of two";
    return NULL;
}

static int levels_init(struct cache_model *model, const struct cache_geometry *geometry)
{
    int entries = geometry->tlb_entries ? geometry->tlb_entries : 1536;
    struct cache_level *l1 = &model->level[0];

    for (int k = 0; k < geometry->level_nr; k++)
        if (cache_level_init(&model->level[k],
                             geometry->level[k].bytes / (uint64_t)geometry->line_bytes,
                             geometry->level[k].ways, geometry->level[k].folded,
                             k == 0 ? CACHE_BY_STAMP : CACHE_BY_ORDER))
            return -1;
    if (cache_level_init(&model->tlb, (uint64_t)entries, CACHE_WAYS_MAX, true,
                         CACHE_BY_ORDER))
        return -1;
    if (!geometry->overwritten)
        return 0;
    l1->written = calloc((size_t)l1->set_nr * l1->ways, sizeof(*l1->written));
    return l1->written ? 0 : -1;
}

int cache_model_init(struct cache_model *model, const struct cache_geometry *geometry,
                     const char **why)
{
    int line = geometry->line_bytes;

    *model = (struct cache_model){.load_line = NO_LINE, .store_line = NO_LINE};
    *why = geometry_wrong(geometry);
    if (*why)
        return -1;
    model->level_nr = geometry->level_nr;
    model->line_shift = log2_of((uint64_t)line);
    model->line_mask = (uint64_t)line - 1;
    model->page_shift =
        log2_of(geometry->page_bytes ? geometry->page_bytes : 4096) - model->line_shift;
    model->granule_shift = line > 64 ? model->line_shift - 6 : 0;
    model->granules_full = granules(0, line > 64 ? 64 : (uint64_t)line);
    model->overwritten = geometry->overwritten;
    cache_streams_init(&model->streams, geometry->streams,
                       log2_of(CACHE_STREAM_PAGE) - model->line_shift);
    for (int i = 0; i < CACHE_LINE_BUFFERS; i++)
        model->buffer[i].line = NO_LINE;
    for (int i = 0; i < CACHE_RECENT; i++)
        model->recent[i].line = NO_LINE;
    if (levels_init(model, geometry) == 0)
        return 0;
    *why = "there is not enough memory for the cache model";
    cache_model_release(model);
    return -1;
}

void cache_model_release(struct cache_model *model)
{
    for (int k = 0; k < CACHE_LEVELS_MAX; k++)
        cache_level_release(&model->level[k]);
    cache_level_release(&model->tlb);
}

/* Lines found at `found` were filled into level k above it; prefetches to L2 not into L1.
 */
static void add_fetched(struct cache_counts *counts, const struct cache_events *events,
                        int k, int found)
{
    uint64_t software = events->fetched[CACHE_PREFETCH_L1][found];

    if (k > 0)
        software += events->fetched[CACHE_PREFETCH_L2][found];
    counts->covered[k] += events->fetched[CACHE_COVERED][found];
    counts->software[k] += software;
    counts->fills[k] += events->fetched[CACHE_DEMAND][found] +
                        events->fetched[CACHE_COVERED][found] + software;
}

struct cache_counts cache_model_counts(const struct cache_model *model)
{
    const struct cache_events *events = &model->events;
    struct cache_counts counts = {
        .accesses = events->accesses,
        .bytes = events->bytes,
        .nontemporal = events->nontemporal,
        .walks = events->walks,
        .overwritten = events->overwritten,
    };

    for (int k = 0; k < model->level_nr; k++) {
        counts.writebacks[k] = events->writebacks[k];
        for (int found = k + 1; found <= model->level_nr; found++)
            add_fetched(&counts, events, k, found);
        counts.l1_from[k] = events->fetched[CACHE_DEMAND][k + 1] +
                            events->fetched[CACHE_COVERED][k + 1] +
                            events->fetched[CACHE_PREFETCH_L1][k + 1];
        counts.l1_covered[k] = events->fetched[CACHE_COVERED][k + 1];
    }
    return counts;
}

uint64_t cache_model_capacity(const struct cache_model *model, int level)
{
    return (uint64_t)model->level[level].set_nr * model->level[level].ways;
}

static bool dirty_in(const struct cache_level *level, uint64_t line)
{
    uint32_t index = cache_level_set(level, line);

    int way = cache_level_find(level, index, line, cache_sign(line));

    return way >= 0 && level->set[index].dirty >> way & 1;
}

/* Dirty lines of level k that no level above holds dirty. */
static uint64_t dirty_first_at(const struct cache_model *model, int k)
{
    const struct cache_level *level = &model->level[k];
    uint64_t nr = 0;

    for (uint32_t i = 0; i < level->set_nr; i++)
        for (unsigned way = 0; way < level->ways; way++) {
            bool counts = level->set[i].dirty >> way & 1;

            for (int above = 0; above < k && counts; above++)
                counts = !dirty_in(&model->level[above],
                                   level->tag[(size_t)i * level->ways + way]);
            nr += counts;
        }
    return nr;
}

void cache_model_dirty(const struct cache_model *model, uint64_t left[CACHE_LEVELS_MAX])
{
    uint64_t nr = 0;

    for (int k = 0; k < model->level_nr; k++)
        left[k] = nr += dirty_first_at(model, k);
}

struct cache_counts cache_counts_since(const struct cache_counts *what,
                                       const struct cache_counts *since)
{
    struct cache_counts diff;

#define X(name)                                                                          \
    for (int k = 0; k < CACHE_LEVELS_MAX; k++)                                           \
        diff.name[k] = what->name[k] - since->name[k];
    CACHE_LEVEL_COUNT_MAP(X)
#undef X
#define X(name) diff.name = what->name - since->name;
    CACHE_COUNT_MAP(X)
#undef X
    return diff;
}
