/* For dl_iterate_phdr: where the program lies in memory. */
#define _GNU_SOURCE
#include "core/traffic/tracer/tracer_parts.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/tracer/tracer.h"
#include "core/traffic/tracer/tracer_hot.h"

enum { PROBES = 256 };

struct array {
    char *name;
    uint64_t base, bytes;
    uint64_t record_bytes, offset, field_bytes; /* record_bytes 0 = all of it */
};

/* What one part had in one window. */
struct charged {
    int window;
    uint32_t part;
    struct cache_counts counts;
    uint64_t left[CACHE_LEVELS_MAX];
};

struct tracer_site tracer_site[TRACER_SITES];

static struct {
    struct array *array;
    size_t array_nr;
    struct {
        uintptr_t pc;
        size_t array;
    } of[CACHE_PARTS_MAX]; /* by part */
    struct cache_counts *base;
    uint32_t base_nr;
    struct charged *charged;
    size_t charged_nr, charged_alloc;
    uint64_t dirty[TRACER_MOMENTS][CACHE_PARTS_MAX][CACHE_LEVELS_MAX]; /* by part */
} parts;

static void *grown(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    if (memory)
        return memory;
    fprintf(stderr, "the tracer cannot go on: out of memory\n");
    _Exit(1);
}

void tracer_array(const char *name, const void *base, size_t bytes)
{
    tracer_field(name, base, bytes, 0, 0, 0);
}

void tracer_field(const char *name, const void *base, size_t bytes, size_t record_bytes,
                  size_t offset, size_t field_bytes)
{
    size_t length = strlen(name) + 1;
    char *copy = memcpy(grown(NULL, length), name, length);

    parts.array = grown(parts.array, (parts.array_nr + 1) * sizeof(*parts.array));
    parts.array[parts.array_nr++] =
        (struct array){copy, (uintptr_t)base, bytes, record_bytes, offset, field_bytes};
}

static bool is_of_field(const struct array *array, uint64_t address)
{
    return array->record_bytes == 0 ||
           (address - array->base) % array->record_bytes - array->offset <
               array->field_bytes;
}

/* Several fields share one memory. A place in the code goes to one field as a rule, so
 * the whole memory is its range. What lies in no field is the first one's. */
static size_t field_at(size_t array, uint64_t address)
{
    for (size_t i = array; i < parts.array_nr; i++)
        if (parts.array[i].base == parts.array[array].base &&
            is_of_field(&parts.array[i], address))
            return i;
    return array;
}

/* The array of an address, or array_nr; the range of addresses that are the same. */
static size_t array_of(uint64_t address, uint64_t *base, uint64_t *bytes)
{
    uint64_t first = 0, end = UINT64_MAX;

    for (size_t i = 0; i < parts.array_nr; i++) {
        const struct array *array = &parts.array[i];

        *base = array->base;
        *bytes = array->bytes;
        if (address - array->base < array->bytes)
            return field_at(i, address);
        if (array->base + array->bytes <= address && array->base + array->bytes > first)
            first = array->base + array->bytes;
        if (array->base > address && array->base < end)
            end = array->base;
    }
    *base = first;
    *bytes = end - first;
    return parts.array_nr;
}

/* The part of a place in the code and an array, which another range may have already. */
static struct cache_part *part_of(uintptr_t pc, size_t array)
{
    struct cache_model *model = &tracer_hot.model;
    struct cache_part *part;

    for (uint32_t i = 1; i < model->part_nr; i++)
        if (parts.of[i].pc == pc && parts.of[i].array == array)
            return &model->part[i];
    part = cache_model_part(model);
    if (!part && pc)
        return part_of(0, array); /* of no known place */
    if (!part)
        return model->part;
    parts.of[part - model->part].pc = pc;
    parts.of[part - model->part].array = array;
    return part;
}

struct cache_part *tracer_part(uintptr_t pc, uint64_t address)
{
    struct tracer_site *site = NULL;
    uint64_t base, bytes;
    size_t array;

    for (size_t i = 0; i < PROBES; i++) {
        site = tracer_site_of(pc + i);
        if (tracer_site_is(site, pc, address))
            return site->part;
        if (!site->pc)
            break;
    }
    array = array_of(address, &base, &bytes);
    /* The last place is anybody's when all are taken. */
    *site = (struct tracer_site){pc, base, bytes, part_of(pc, array)};
    return site->part;
}

/* Fields share their memory. */
static bool is_first_there(size_t array)
{
    for (size_t i = 0; i < array; i++)
        if (parts.array[i].base == parts.array[array].base)
            return false;
    return true;
}

void tracer_parts_recall(struct cache_model *model, double lines_max)
{
    double lines = 0;

    for (size_t i = 0; i < parts.array_nr; i++)
        if (is_first_there(i))
            lines += (double)(parts.array[i].bytes >> model->line_shift) + 1;
    if (lines > lines_max ||
        lines > (double)cache_model_capacity(model, model->level_nr - 1))
        return;
    for (size_t i = 0; i < parts.array_nr; i++)
        if (is_first_there(i))
            cache_model_recall(model, parts.array[i].base, parts.array[i].bytes);
}

/*
 * Windows.
 */

void tracer_parts_base(void)
{
    parts.base_nr = tracer_hot.model.part_nr;
    parts.base = grown(parts.base, parts.base_nr * sizeof(*parts.base));
    for (uint32_t i = 0; i < parts.base_nr; i++)
        parts.base[i] = cache_part_counts(&tracer_hot.model, i);
}

static struct charged *charge(int window, uint32_t part)
{
    struct charged *charged;

    for (size_t i = parts.charged_nr; i > 0; i--)
        if (parts.charged[i - 1].window == window && parts.charged[i - 1].part == part)
            return &parts.charged[i - 1];
    if (parts.charged_nr == parts.charged_alloc) {
        parts.charged_alloc = parts.charged_alloc ? 2 * parts.charged_alloc : 64;
        parts.charged =
            grown(parts.charged, parts.charged_alloc * sizeof(*parts.charged));
    }
    charged = &parts.charged[parts.charged_nr++];
    *charged = (struct charged){.window = window, .part = part};
    return charged;
}

void tracer_parts_take(int window)
{
    static const struct cache_counts nothing;

    while (parts.charged_nr && parts.charged[parts.charged_nr - 1].window >= window)
        parts.charged_nr--;
    for (uint32_t i = 0; i < tracer_hot.model.part_nr; i++) {
        struct cache_counts now = cache_part_counts(&tracer_hot.model, i);

        now = cache_counts_since(&now, i < parts.base_nr ? &parts.base[i] : &nothing);
        if (memcmp(&now, &nothing, sizeof(now)) != 0)
            charge(window, i)->counts = now;
    }
}

void tracer_parts_dirty(enum tracer_moment moment, uint64_t left[CACHE_LEVELS_MAX])
{
    /* Parts that came later had nothing dirty before. */
    for (uint32_t i = tracer_hot.model.part_nr; i < CACHE_PARTS_MAX; i++)
        memset(parts.dirty[moment][i], 0, sizeof(parts.dirty[moment][i]));
    cache_model_dirty(&tracer_hot.model, left, parts.dirty[moment]);
}

/* What a part wrote back in a window, and what more it has to write back after it. */
static uint64_t later(const struct charged *charged, int k)
{
    uint64_t all = charged->counts.writebacks[k] +
                   parts.dirty[TRACER_AFTER][charged->part][k],
             before = parts.dirty[TRACER_BEFORE][charged->part][k];

    return all > before ? all - before : 0;
}

/* Shares are rounded down; the last part that has any gets the rest. */
void tracer_parts_later(int window, int k, uint64_t all)
{
    struct charged *last = NULL;
    uint64_t sum = 0, given = 0;

    for (size_t i = 0; i < parts.charged_nr; i++)
        if (parts.charged[i].window == window)
            sum += later(&parts.charged[i], k);
    for (size_t i = 0; i < parts.charged_nr; i++) {
        struct charged *charged = &parts.charged[i];
        uint64_t own;

        if (charged->window != window)
            continue;
        own = later(charged, k);
        charged->counts.writebacks[k] =
            sum ? (uint64_t)((double)own / (double)sum * (double)all) : 0;
        given += charged->counts.writebacks[k];
        last = own || !last ? charged : last;
    }
    if (last && given < all)
        last->counts.writebacks[k] += all - given;
}

void tracer_parts_left(uint64_t left[CACHE_LEVELS_MAX])
{
    int edge = tracer_hot.model.level_nr - 1;

    tracer_parts_dirty(TRACER_AFTER, left);
    for (uint32_t i = 0; i < tracer_hot.model.part_nr; i++)
        if (parts.dirty[TRACER_AFTER][i][edge])
            memcpy(charge(0, i)->left, parts.dirty[TRACER_AFTER][i],
                   sizeof(parts.dirty[TRACER_AFTER][i]));
}

/*
 * The file.
 */

static int take_bias(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uintptr_t *)data = info->dlpi_addr;
    return 1; /* the first one is the program */
}

void tracer_parts_write(FILE *file)
{
    uintptr_t bias = 0;

    dl_iterate_phdr(take_bias, &bias);
    for (size_t i = 0; i < parts.array_nr; i++)
        fprintf(file, "array %s\n", parts.array[i].name);
    fprintf(file, "part %zu 0\n", parts.array_nr);
    for (uint32_t i = 1; i < tracer_hot.model.part_nr; i++)
        fprintf(file, "part %zu %llu\n", parts.of[i].array,
                (unsigned long long)(parts.of[i].pc ? parts.of[i].pc - bias : 0));
}

static void write_levels(FILE *file, const uint64_t *value)
{
    for (int k = 0; k < tracer_hot.model.level_nr; k++)
        fprintf(file, " %llu", (unsigned long long)value[k]);
}

void tracer_parts_write_window(FILE *file, int window)
{
    for (size_t i = 0; i < parts.charged_nr; i++) {
        const struct charged *charged = &parts.charged[i];

        if (charged->window != window)
            continue;
        fprintf(file, "charged %u", (unsigned)charged->part);
#define X(name) fprintf(file, " %llu", (unsigned long long)charged->counts.name);
        CACHE_COUNT_MAP(X)
#undef X
#define X(name) write_levels(file, charged->counts.name);
        CACHE_LEVEL_COUNT_MAP(X)
#undef X
        write_levels(file, charged->left);
        fprintf(file, "\n");
    }
}
