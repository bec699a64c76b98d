#include "core/traffic/tracer/cache_model.h"

#include <stdlib.h>

#include "core/traffic/tracer/cache_below.h"

#define NO_LINE CACHE_NO_LINE

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

static uint32_t number(const struct cache_model *model, const struct cache_part *part)
{
    return (uint32_t)(part - model->part);
}

/*
 * L1.
 */

/* Puts a line that is not there into this way of L1, clean, as the most recent one. */
static inline void replace(struct cache_model *model, struct cache_set *set, unsigned way,
                           uint64_t line)
{
    uint64_t old = set->tag[way];
    bool dirty = set->dirty >> way & 1;

    cache_set_place(set, way, line, cache_sign(line));
    if (dirty)
        cache_below_write_back(model, 0, old, set->owner[way]);
    else if (model->coupled && old != NO_LINE)
        cache_below_victim(model, 0, old);
}

/* Brings a line that is not there into L1, gives its way. Where the levels below act upon
 * L1, they do so before its place is chosen. */
static __attribute__((noinline)) unsigned
fill_coupled(struct cache_model *model, struct cache_part *part, struct cache_set *set,
             uint64_t line, enum cache_fetch kind, unsigned *from_memory)
{
    struct cache_came came = cache_below_fetch(model, part, line, 0, kind);
    unsigned way = cache_set_oldest(set);

    replace(model, set, way, line);
    if (came.dirty)
        cache_set_soil(set, way, came.owner);
    *from_memory = came.from_memory;
    return way;
}

static inline unsigned fill(struct cache_model *model, struct cache_part *part,
                            struct cache_set *set, uint64_t line, unsigned *from_memory)
{
    unsigned way;

    if (model->coupled)
        return fill_coupled(model, part, set, line, CACHE_DEMAND, from_memory);
    *from_memory = cache_fetch(model, part, line);
    way = cache_set_oldest(set);
    replace(model, set, way, line);
    return way;
}

/* A line turned out overwritten, in those models in which it came from memory. */
static void add_overwritten(struct cache_model *model, uint32_t slot, uint16_t owner)
{
    model->part[owner].overwritten += model->pending[slot] & 1;
    for (int i = 0; i < model->beside_nr; i++)
        model->beside[i]->part->overwritten += model->pending[slot] >> (i + 1) & 1;
}

/* Keeps account of a line that a store brought. Gives whether it may still turn out
 * overwritten. */
static bool still_pending(struct cache_model *model, uint32_t slot, uint16_t owner,
                          bool write, uint64_t offset, uint64_t bytes)
{
    uint64_t *written = &model->written[slot];

    if (!write)
        return (granules_touched(model, offset, bytes) & ~*written) == 0;
    *written |= granules_covered(model, offset, bytes);
    if (*written != model->granules_full)
        return true;
    add_overwritten(model, slot, owner);
    return false;
}

/* Makes later accesses to the line in that slot quick, as far as they may be. */
static inline void make_quick(struct cache_model *model, const struct cache_set *set,
                              unsigned way, uint32_t slot)
{
    uint64_t at = set->tag[way] << model->line_shift;

    model->load_at[slot] = at;
    model->store_at[slot] = set->dirty >> way & 1 ? at : CACHE_NOWHERE;
}

/* Whatever the line's state. */
static __attribute__((noinline)) void access_line(struct cache_model *model,
                                                  struct cache_part *part, uint64_t line,
                                                  bool write, uint64_t offset,
                                                  uint64_t bytes)
{
    struct cache_set *set = cache_level_set(&model->level[0], line);
    int way = cache_set_find(set, line, cache_sign(line));
    uint32_t slot;

    if (way < 0) {
        unsigned from_memory;

        way = (int)fill(model, part, set, line, &from_memory);
        slot = cache_level_slot(&model->level[0], set, (unsigned)way);
        if (model->overwritten && write && from_memory) {
            set->pending |= (uint16_t)(1u << way);
            model->pending[slot] = (uint8_t)from_memory;
            model->written[slot] = 0;
        }
    } else {
        slot = cache_level_slot(&model->level[0], set, (unsigned)way);
        cache_set_touch(set, (unsigned)way);
    }
    if (write)
        cache_set_soil(set, (unsigned)way, number(model, part));
    part->slot = slot;
    part->set = set;
    if (set->pending >> way & 1) {
        if (still_pending(model, slot, set->owner[way], write, offset, bytes)) {
            cache_model_forget(model, slot);
            return;
        }
        set->pending &= (uint16_t) ~(1u << way);
    }
    make_quick(model, set, (unsigned)way, slot);
}

/* As two-level simulators do: one lookup for both lines. */
static void access_pair(struct cache_model *model, struct cache_part *part, uint64_t line,
                        bool write)
{
    bool missed = false;

    for (uint64_t this = line; this <= line + 1; this ++) {
        struct cache_set *set = cache_level_set(&model->level[0], this);
        int way = cache_set_find(set, this, cache_sign(this));

        if (way < 0) {
            missed = true;
            way = (int)cache_set_oldest(set);
            replace(model, set, (unsigned)way, this);
        }
        cache_set_touch(set, (unsigned)way);
        if (write)
            cache_set_soil(set, (unsigned)way, number(model, part));
        make_quick(model, set, (unsigned)way,
                   cache_level_slot(&model->level[0], set, (unsigned)way));
    }
    if (missed)
        cache_below_pair(model, part, line);
}

static void access_lines(struct cache_model *model, struct cache_part *part,
                         uint64_t address, uint64_t bytes, bool write)
{
    part->more--;
    while (bytes) {
        uint64_t offset = address & model->line_mask;
        uint64_t here = model->line_mask + 1 - offset;

        if (here > bytes)
            here = bytes;
        part->more++;
        access_line(model, part, address >> model->line_shift, write, offset, here);
        address += here;
        bytes -= here;
    }
}

/* Whether that was all: the line is in L1, and nobody waits for it to be overwritten. */
static inline bool hits(struct cache_model *model, struct cache_part *part, uint64_t line,
                        bool write)
{
    struct cache_set *set = cache_level_set(&model->level[0], line);
    int way = cache_set_find(set, line, cache_sign(line));

    if (way < 0 || set->pending >> way & 1)
        return false;
    cache_set_touch(set, (unsigned)way);
    if (write)
        cache_set_soil(set, (unsigned)way, number(model, part));
    part->slot = cache_level_slot(&model->level[0], set, (unsigned)way);
    part->set = set;
    make_quick(model, set, (unsigned)way, (uint32_t)part->slot);
    return true;
}

static __attribute__((noinline)) void access_any(struct cache_model *model,
                                                 struct cache_part *part,
                                                 uint64_t address, uint64_t bytes,
                                                 bool write)
{
    uint64_t line = address >> model->line_shift, offset = address & model->line_mask;

    if (offset + bytes <= model->line_mask + 1)
        access_line(model, part, line, write, offset, bytes);
    else if (model->plain && offset + bytes <= 2 * (model->line_mask + 1))
        access_pair(model, part, line, write);
    else
        access_lines(model, part, address, bytes, write);
}

void cache_model_access(struct cache_model *model, struct cache_part *part,
                        uint64_t address, uint64_t bytes, bool write)
{
    if ((address & model->line_mask) + bytes > model->line_mask + 1 ||
        !hits(model, part, address >> model->line_shift, write))
        access_any(model, part, address, bytes, write);
}

void cache_model_prefetch(struct cache_model *model, struct cache_part *part,
                          uint64_t address, int level)
{
    uint64_t line = address >> model->line_shift;
    struct cache_set *set = cache_level_set(&model->level[0], line);

    if (level >= model->level_nr)
        level = model->level_nr - 1;
    /* Whoever has it above has no use for it below. */
    if (cache_set_find(set, line, cache_sign(line)) >= 0)
        return;
    if (level == 0) {
        unsigned from_memory;
        unsigned way =
            fill_coupled(model, part, set, line, CACHE_PREFETCH_L1, &from_memory);

        cache_model_forget(model, cache_level_slot(&model->level[0], set, way));
    } else {
        cache_below_ahead(model, part, line, level);
    }
}

void cache_model_recall(struct cache_model *model, uint64_t address, uint64_t bytes)
{
    uint64_t first = address >> model->line_shift;
    uint64_t end = (address + bytes + model->line_mask) >> model->line_shift;

    for (uint64_t line = first; line < end; line++)
        cache_below_recall(model, line);
}

/*
 * Past the caches.
 */

static void drop(struct cache_model *model, uint64_t line)
{
    const struct cache_level *l1 = &model->level[0];
    struct cache_set *set = cache_level_set(l1, line);
    int way = cache_set_find(set, line, cache_sign(line));

    if (way >= 0) {
        cache_set_drop(set, (unsigned)way);
        cache_model_forget(model, cache_level_slot(l1, set, (unsigned)way));
    }
    cache_below_drop(model, line);
}

static void buffer_empty(struct cache_model *model, struct cache_line_buffer *buffer)
{
    if (buffer->line != NO_LINE)
        model->part[buffer->part].nontemporal++;
    buffer->line = NO_LINE;
}

static struct cache_line_buffer *line_buffer(struct cache_model *model,
                                             const struct cache_part *part, uint64_t line)
{
    struct cache_line_buffer *buffer;

    for (int i = 0; i < CACHE_LINE_BUFFERS; i++)
        if (model->buffer[i].line == line)
            return &model->buffer[i];
    buffer = &model->buffer[model->buffer_next++ % CACHE_LINE_BUFFERS];
    buffer_empty(model, buffer);
    *buffer = (struct cache_line_buffer){line, 0, number(model, part)};
    drop(model, line);
    return buffer;
}

void cache_model_nontemporal(struct cache_model *model, struct cache_part *part,
                             uint64_t address, uint64_t bytes)
{
    part->stores++;
    part->past++;
    part->stored += bytes;
    while (bytes) {
        uint64_t offset = address & model->line_mask;
        uint64_t here = model->line_mask + 1 - offset;
        struct cache_line_buffer *buffer =
            line_buffer(model, part, address >> model->line_shift);

        if (here > bytes)
            here = bytes;
        buffer->written |= granules_covered(model, offset, here);
        if (buffer->written == model->granules_full)
            buffer_empty(model, buffer);
        address += here;
        bytes -= here;
    }
}

void cache_model_drain(struct cache_model *model)
{
    for (int i = 0; i < CACHE_LINE_BUFFERS; i++)
        buffer_empty(model, &model->buffer[i]);
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
    for (int k = 0; k < geometry->level_nr; k++)
        if ((int)geometry->level[k].inclusion < 0 ||
            geometry->level[k].inclusion > CACHE_EXCLUSIVE ||
            geometry->level[k].copies < 0)
            return "a level of the cache model is inclusive in no known way or shared by "
                   "less than one";
    if (geometry->level[0].inclusion == CACHE_EXCLUSIVE || geometry->level[0].copies > 1)
        return "the first level of the cache model is not a victim cache and is not "
               "shared";
    if (geometry->page_bytes && (!is_power(geometry->page_bytes) ||
                                 geometry->page_bytes < (uint64_t)geometry->line_bytes))
        return "the page size of the cache model must be a power of two";
    return NULL;
}

static int level_init(struct cache_model *model, const struct cache_geometry *geometry,
                      int k)
{
    uint64_t lines = geometry->level[k].bytes / (uint64_t)geometry->line_bytes;
    int copies = geometry->level[k].copies > 1 ? geometry->level[k].copies : 1;

    model->copies[k] = copies < CACHE_COPIES_MAX ? copies : CACHE_COPIES_MAX;
    if (copies > CACHE_COPIES_MAX)
        lines = lines * CACHE_COPIES_MAX / (uint64_t)copies;
    model->inclusion[k] = geometry->level[k].inclusion;
    model->coupled |=
        k > 0 && (model->inclusion[k] != CACHE_NON_INCLUSIVE || model->copies[k] > 1);
    return cache_level_init(&model->level[k], lines, geometry->level[k].ways,
                            geometry->level[k].folded);
}

static uint32_t slot_nr(const struct cache_model *model)
{
    return model->level[0].set_nr * CACHE_WAYS_MAX;
}

static int slots_init(struct cache_model *model)
{
    size_t slots = slot_nr(model);

    model->part = calloc(CACHE_PARTS_MAX, sizeof(*model->part));
    model->load_at = calloc(slots, sizeof(*model->load_at));
    model->store_at = calloc(slots, sizeof(*model->store_at));
    model->written = calloc(slots, sizeof(*model->written));
    model->pending = calloc(slots, sizeof(*model->pending));
    if (!model->part || !model->load_at || !model->store_at || !model->written ||
        !model->pending)
        return -1;
    cache_model_part(model);
    return 0;
}

static int tables_init(struct cache_model *model, const struct cache_geometry *geometry)
{
    int entries = geometry->tlb_entries ? geometry->tlb_entries : 1536;

    for (int k = 0; k < geometry->level_nr; k++)
        if (level_init(model, geometry, k))
            return -1;
    model->has_tlb = entries > 0;
    if (model->has_tlb &&
        cache_level_init(&model->tlb, (uint64_t)entries, CACHE_WAYS_MAX, true))
        return -1;
    model->overwritten = geometry->overwritten;
    return slots_init(model);
}

void cache_model_empty(struct cache_model *model)
{
    for (int k = model->own; k < model->level_nr; k++)
        cache_level_empty(&model->level[k]);
    if (cache_model_is_beside(model))
        return;
    if (model->has_tlb)
        cache_level_empty(&model->tlb);
    for (uint32_t i = 0; i < slot_nr(model); i++)
        cache_model_forget(model, i);
    for (int i = 0; i < CACHE_LINE_BUFFERS; i++)
        model->buffer[i].line = NO_LINE;
    cache_streams_init(&model->streams, model->streams_wanted,
                       log2_of(CACHE_STREAM_PAGE) - model->line_shift);
}

int cache_model_init(struct cache_model *model, const struct cache_geometry *geometry,
                     const char **why)
{
    int line = geometry->line_bytes;

    *model =
        (struct cache_model){.level_nr = geometry->level_nr, .plain = geometry->plain};
    *why = geometry_wrong(geometry);
    if (*why)
        return -1;
    model->line_shift = log2_of((uint64_t)line);
    model->line_mask = (uint64_t)line - 1;
    model->page_shift =
        log2_of(geometry->page_bytes ? geometry->page_bytes : 4096) - model->line_shift;
    model->granule_shift = line > 64 ? model->line_shift - 6 : 0;
    model->granules_full = granules(0, line > 64 ? 64 : (uint64_t)line);
    model->streams_wanted = geometry->streams;
    if (tables_init(model, geometry) == 0) {
        cache_model_empty(model);
        return 0;
    }
    *why = "there is not enough memory for the cache model";
    cache_model_release(model);
    return -1;
}

bool cache_model_is_beside(const struct cache_model *other)
{
    return other->shared != NULL;
}

static bool same_level(const struct cache_level *a, const struct cache_level *b)
{
    return a->set_nr == b->set_nr && a->ways == b->ways && a->fold == b->fold;
}

/* The levels that both have in common, from the first on; the last is never one. */
static int common_levels(const struct cache_model *model, const struct cache_model *other)
{
    int k = 0;

    if (model->level_nr != other->level_nr || model->coupled || other->coupled ||
        model->plain)
        return 0;
    while (k + 1 < model->level_nr && same_level(&model->level[k], &other->level[k]))
        k++;
    return k;
}

/* Software prefetches end in L2 at the latest, so that what is left of them below two
 * common levels is the same. */
enum { COMMON_MIN = 2 };

int cache_model_init_beside(struct cache_model *other, struct cache_model *model,
                            const struct cache_geometry *geometry, const char **why)
{
    int common;

    if (cache_model_init(other, geometry, why))
        return -1;
    common = common_levels(model, other);
    if (common < COMMON_MIN || model->beside_nr == CACHE_BESIDE_MAX)
        return 0;
    for (int k = 0; k < common; k++) {
        cache_level_release(&other->level[k]);
        other->level[k] = model->level[k];
    }
    other->shared = model;
    other->own = common;
    model->beside[model->beside_nr++] = other;
    return 0;
}

void cache_model_release(struct cache_model *model)
{
    for (int k = model->own; k < CACHE_LEVELS_MAX; k++)
        cache_level_release(&model->level[k]);
    cache_level_release(&model->tlb);
    free(model->part);
    free(model->load_at);
    free(model->store_at);
    free(model->written);
    free(model->pending);
    *model = (struct cache_model){0};
}

struct cache_part *cache_model_part(struct cache_model *model)
{
    struct cache_part *part = &model->part[model->part_nr];

    if (model->part_nr == CACHE_PARTS_MAX)
        return NULL;
    model->part_nr++;
    part->set = model->level[0].set;
    part->page_set = model->tlb.set;
    return part;
}
