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

    set->pending &= (uint16_t) ~(1u << way);
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
    uint32_t *slot = &model->recent_page[sign % CACHE_RECENT_PAGES];
    uint32_t index;
    int way;

    if (tlb->tag[*slot] == page) {
        tlb->stamp[*slot] = (tlb->clock += 16) | (tlb->stamp[*slot] & 15);
        return;
    }
    index = cache_level_set(tlb, page);
    way = cache_level_find(tlb, index, page, sign);
    if (way >= 0) {
        cache_level_touch(tlb, index, (unsigned)way);
    } else {
        way = (int)cache_level_oldest(tlb, index);
        cache_level_place(tlb, index, (unsigned)way, page, sign);
        model->events.walks++;
    }
    *slot = index * tlb->ways + (unsigned)way;
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

static inline struct cache_recent *recent_of(struct cache_model *model, uint64_t line)
{
    return &model->recent[(line * UINT64_C(0x9e3779b97f4a7c15) >> 56) % CACHE_RECENT];
}

/* Finds the line in L1 or brings it there; gives its way, the most recent one then. */
static unsigned bring(struct cache_model *model, uint32_t index, uint64_t line,
                      bool write)
{
    struct cache_level *l1 = &model->level[0];
    int way = cache_level_find(l1, index, line, cache_sign(line));
    struct fetched fetched;

    if (way >= 0) {
        cache_level_touch(l1, index, (unsigned)way);
        return (unsigned)way;
    }
    fetched = fetch(model, line, 0, CACHE_DEMAND);
    if (model->overwritten && write && fetched.from == model->level_nr) {
        l1->set[index].pending |= (uint16_t)(1u << fetched.way);
        l1->written[(size_t)index * l1->ways + (unsigned)fetched.way] = 0;
    }
    return (unsigned)fetched.way;
}

/* One access within one line, beyond the short cuts. */
static __attribute__((noinline)) void access_slowly(struct cache_model *model,
                                                    uint64_t line, bool write,
                                                    uint64_t offset, uint64_t bytes)
{
    struct cache_level *l1 = &model->level[0];
    uint32_t index = cache_level_set(l1, line);
    unsigned way = bring(model, index, line, write);
    struct cache_set *set = &l1->set[index];
    uint32_t slot = index * l1->ways + way, quick;
    uint16_t bit = (uint16_t)(1u << way);

    if (write)
        set->dirty |= bit;
    if (set->pending & bit &&
        !still_pending(model, &l1->written[slot], write, offset, bytes))
        set->pending &= (uint16_t)~bit;
    quick = set->pending & bit ? 0 : set->dirty & bit ? 2 : 1;
    model->load_line = quick >= 1 ? line : NO_LINE;
    model->store_line = quick >= 2 ? line : NO_LINE;
    *recent_of(model, line) = (struct cache_recent){line, slot, quick};
}

static inline void access_line(struct cache_model *model, uint64_t line, bool write,
                               uint64_t offset, uint64_t bytes)
{
    const struct cache_recent *recent = recent_of(model, line);
    struct cache_level *l1 = &model->level[0];
    uint64_t *stamp = &l1->stamp[recent->slot];

    if (recent->line != line || l1->tag[recent->slot] != line ||
        recent->quick < (write ? 2 : 1)) {
        access_slowly(model, line, write, offset, bytes);
        return;
    }
    *stamp = (l1->clock += 16) | (*stamp & 15);
    model->load_line = line;
    model->store_line = recent->quick == 2 ? line : NO_LINE;
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
    recent_of(model, line)->line = NO_LINE; /* may come back to the same slot, clean */
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
                         CACHE_BY_STAMP))
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
