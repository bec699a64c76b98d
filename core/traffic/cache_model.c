#include "core/traffic/cache_model.h"

#include <stdlib.h>

#include "core/traffic/cache_below.h"

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

static inline struct cache_set *set_of(const struct cache_model *model, uint32_t slot)
{
    return &model->level[0].set[slot / CACHE_WAYS_MAX];
}

/* The slot of that set to be used next. */
static inline uint32_t oldest(const struct cache_model *model,
                              const struct cache_set *set)
{
    uint32_t slot = cache_level_slot(&model->level[0], set, 0);
    const uint64_t *stamp = &model->stamp[slot];
    uint64_t least = UINT64_MAX;

    for (unsigned way = 0; way < model->level[0].ways; way++) {
        uint64_t this = stamp[way] << 4 | way;

        least = this < least ? this : least;
    }
    return slot + (uint32_t)(least & 15);
}

/* Puts a line that is not there into this slot of L1, clean, as the most recent one. */
static inline void replace(struct cache_model *model, uint32_t slot, uint64_t line)
{
    struct cache_set *set = set_of(model, slot);
    unsigned way = slot % CACHE_WAYS_MAX;
    uint64_t old = set->tag[way];
    bool dirty = set->dirty >> way & 1;

    cache_set_place(&model->level[0], set, way, line, cache_sign(line));
    cache_model_forget(model, slot);
    model->stamp[slot] = ++model->clock;
    if (dirty)
        cache_below_ask(model, CACHE_VICTIM, old, set->owner[way], 0, 0);
    else if (model->coupled && model->inclusion[1] == CACHE_EXCLUSIVE && old != NO_LINE)
        cache_below_ask(model, CACHE_VICTIM_CLEAN, old, 0, 0, 0);
}

/* Where the levels below act upon L1, they do so before the place of a line is chosen. */
static __attribute__((noinline)) uint32_t
fill_coupled(struct cache_model *model, const struct cache_part *part,
             const struct cache_set *set, uint64_t line, enum cache_what what)
{
    struct cache_came came;
    uint32_t slot;

    cache_below_ask(model, what, line, number(model, part), 0, 0);
    came = model->came;
    slot = oldest(model, set);
    model->from_memory[slot] = came.from_memory;
    replace(model, slot, line);
    if (came.dirty)
        cache_set_soil(set_of(model, slot), slot % CACHE_WAYS_MAX, came.owner);
    return slot;
}

/* Brings a line that is not there into L1, gives its slot. */
static inline uint32_t fill(struct cache_model *model, const struct cache_part *part,
                            const struct cache_set *set, uint64_t line,
                            enum cache_what what)
{
    uint32_t slot;

    if (model->coupled)
        return fill_coupled(model, part, set, line, what);
    slot = oldest(model, set);
    cache_below_ask(model, what, line, number(model, part), slot, 0);
    replace(model, slot, line);
    return slot;
}

static inline uint32_t *recent_of(struct cache_model *model, uint64_t line)
{
    return &model->recent[(line * UINT64_C(0x9e3779b97f4a7c15) >> 53) % CACHE_RECENT];
}

/* Finds the line in L1 or brings it there, as the most recent one. */
static uint32_t bring(struct cache_model *model, const struct cache_part *part,
                      uint64_t line, bool write)
{
    const struct cache_level *l1 = &model->level[0];
    struct cache_set *set = cache_level_set(l1, line);
    int way = cache_set_find(set, line, cache_sign(line));
    uint32_t slot;

    if (way >= 0) {
        slot = cache_level_slot(l1, set, (unsigned)way);
        model->stamp[slot] = ++model->clock;
        return slot;
    }
    slot = fill(model, part, set, line, CACHE_FETCH);
    if (model->overwritten && write) {
        set->pending |= (uint16_t)(1u << slot % CACHE_WAYS_MAX);
        model->written[slot] = 0;
    }
    return slot;
}

static inline bool is_at(const struct cache_model *model, uint32_t slot, uint64_t line)
{
    return set_of(model, slot)->tag[slot % CACHE_WAYS_MAX] == line;
}

/* The slot of the line, the most recent one then. */
static inline uint32_t find_or_bring(struct cache_model *model,
                                     const struct cache_part *part, uint64_t line,
                                     bool write)
{
    uint32_t *recent = recent_of(model, line), slot = (uint32_t)part->slot;

    if (!is_at(model, slot, line))
        slot = *recent;
    if (!is_at(model, slot, line))
        return *recent = bring(model, part, line, write);
    model->stamp[slot] = ++model->clock;
    return slot;
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
    cache_below_ask(model, CACHE_OVERWRITTEN, 0, owner, slot, 0);
    return false;
}

/* An access that changes more than the order of lines. */
static void change(struct cache_model *model, const struct cache_part *part,
                   uint32_t slot, bool write, uint64_t offset, uint64_t bytes)
{
    unsigned way = slot % CACHE_WAYS_MAX;
    struct cache_set *set = set_of(model, slot);
    uint64_t at = set->tag[way] << model->line_shift;

    if (write)
        cache_set_soil(set, way, number(model, part));
    if (set->pending >> way & 1) {
        if (still_pending(model, slot, set->owner[way], write, offset, bytes))
            return;
        set->pending &= (uint16_t) ~(1u << way);
    }
    model->load_at[slot] = at;
    if (set->dirty >> way & 1)
        model->store_at[slot] = at;
}

static inline void access_line(struct cache_model *model, struct cache_part *part,
                               uint64_t line, bool write, uint64_t offset, uint64_t bytes)
{
    uint32_t slot = find_or_bring(model, part, line, write);

    part->slot = slot;
    if ((write ? model->store_at : model->load_at)[slot] == CACHE_NOWHERE)
        change(model, part, slot, write, offset, bytes);
}

/* As two-level simulators do: one lookup for both lines. */
static void access_pair(struct cache_model *model, struct cache_part *part, uint64_t line,
                        bool write)
{
    const struct cache_level *l1 = &model->level[0];
    bool missed = false;

    for (uint64_t this = line; this <= line + 1; this ++) {
        struct cache_set *set = cache_level_set(l1, this);
        int way = cache_set_find(set, this, cache_sign(this));
        uint32_t slot =
            way < 0 ? oldest(model, set) : cache_level_slot(l1, set, (unsigned)way);

        if (way < 0)
            replace(model, slot, this);
        missed |= way < 0;
        model->stamp[slot] = ++model->clock;
        change(model, part, slot, write, 0, 1);
    }
    if (missed)
        cache_below_ask(model, CACHE_FETCH_PAIR, line, number(model, part), 0, 0);
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

void cache_model_access(struct cache_model *model, struct cache_part *part,
                        uint64_t address, uint64_t bytes, bool write)
{
    uint64_t line = address >> model->line_shift, offset = address & model->line_mask;

    if (offset + bytes <= model->line_mask + 1)
        access_line(model, part, line, write, offset, bytes);
    else if (model->plain && offset + bytes <= 2 * (model->line_mask + 1))
        access_pair(model, part, line, write);
    else
        access_lines(model, part, address, bytes, write);
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
    if (level == 0)
        fill(model, part, set, line, CACHE_FETCH_AHEAD);
    else
        cache_below_ask(model, CACHE_FETCH_AHEAD, line, number(model, part), 0, level);
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
        cache_level_drop(l1, set, (unsigned)way);
        cache_model_forget(model, cache_level_slot(l1, set, (unsigned)way));
    }
    cache_below_ask(model, CACHE_DROP, line, 0, 0, 0);
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
    part->accesses++;
    part->past++;
    part->bytes += bytes;
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
        return "the first level of the cache model is no victim cache and is not shared";
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
    model->coupled |= k > 0 && model->inclusion[k] != CACHE_NON_INCLUSIVE;
    return cache_level_init(&model->level[k], lines, geometry->level[k].ways,
                            geometry->level[k].folded);
}

static int slots_init(struct cache_model *model)
{
    uint32_t slots = model->level[0].set_nr * CACHE_WAYS_MAX;

    model->part = calloc(CACHE_PARTS_MAX, sizeof(*model->part));
    model->load_at = calloc(slots, sizeof(*model->load_at));
    model->stamp = calloc(slots, sizeof(*model->stamp));
    model->store_at = calloc(slots, sizeof(*model->store_at));
    model->written = calloc(slots, sizeof(*model->written));
    model->from_memory = calloc(slots, 1);
    if (!model->part || !model->load_at || !model->store_at || !model->stamp ||
        !model->written || !model->from_memory)
        return -1;
    for (uint32_t i = 0; i < slots; i++)
        cache_model_forget(model, i);
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
    model->last_page = UINT64_MAX;
    model->overwritten = geometry->overwritten;
    return slots_init(model);
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
    cache_streams_init(&model->streams, geometry->streams,
                       log2_of(CACHE_STREAM_PAGE) - model->line_shift);
    for (int i = 0; i < CACHE_LINE_BUFFERS; i++)
        model->buffer[i].line = NO_LINE;
    if (tables_init(model, geometry) == 0)
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
    free(model->part);
    free(model->load_at);
    free(model->stamp);
    free(model->store_at);
    free(model->written);
    free(model->from_memory);
    *model = (struct cache_model){0};
}

struct cache_part *cache_model_part(struct cache_model *model)
{
    struct cache_part *part = &model->part[model->part_nr];

    if (model->part_nr == CACHE_PARTS_MAX)
        return NULL;
    model->part_nr++;
    return part;
}
