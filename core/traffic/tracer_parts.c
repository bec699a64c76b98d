/* For dl_iterate_phdr: where the program lies in memory. */
#define _GNU_SOURCE
#include "core/traffic/tracer_parts.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/tracer.h"
#include "core/traffic/tracer_hot.h"

enum { PROBES = 256 };

struct array {
    char *name;
    uint64_t base, bytes;
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
    uint64_t (*dirty)[CACHE_LEVELS_MAX]; /* write-backs to come when counting began */
    uint32_t dirty_nr;
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
    size_t length = strlen(name) + 1;
    char *copy = memcpy(grown(NULL, length), name, length);

    parts.array = grown(parts.array, (parts.array_nr + 1) * sizeof(*parts.array));
    parts.array[parts.array_nr++] = (struct array){copy, (uintptr_t)base, bytes};
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
            return i;
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

void tracer_parts_left(uint64_t left[CACHE_LEVELS_MAX])
{
    uint32_t nr = tracer_hot.model.part_nr;
    uint64_t(*by_part)[CACHE_LEVELS_MAX] = grown(NULL, nr * sizeof(*by_part));

    cache_model_dirty(&tracer_hot.model, left, by_part);
    for (uint32_t i = 0; i < nr; i++)
        if (by_part[i][tracer_hot.model.level_nr - 1])
            memcpy(charge(0, i)->left, by_part[i], sizeof(by_part[i]));
    free(by_part);
}

void tracer_parts_dirty(void)
{
    uint64_t all[CACHE_LEVELS_MAX];

    parts.dirty_nr = tracer_hot.model.part_nr;
    parts.dirty = grown(parts.dirty, parts.dirty_nr * sizeof(*parts.dirty));
    cache_model_dirty(&tracer_hot.model, all, parts.dirty);
}

/* Of one part: write-backs that came and more to come than there were. */
static uint64_t written_later(int window, uint32_t part, int k, uint64_t left)
{
    uint64_t before = part < parts.dirty_nr ? parts.dirty[part][k] : 0, all;
    struct charged *charged;

    if (left == 0 && before == 0 && tracer_hot.model.part[part].writebacks[k] == 0)
        return 0;
    charged = charge(window, part);
    all = charged->counts.writebacks[k] + left;
    return charged->counts.writebacks[k] = all > before ? all - before : 0;
}

void tracer_parts_later(int window, const uint64_t warm[CACHE_LEVELS_MAX],
                        uint64_t all[CACHE_LEVELS_MAX])
{
    uint32_t nr = tracer_hot.model.part_nr;
    uint64_t(*left)[CACHE_LEVELS_MAX] = grown(NULL, nr * sizeof(*left));
    uint64_t sums[CACHE_LEVELS_MAX];

    cache_model_dirty(&tracer_hot.model, sums, left);
    for (int k = 0; k < tracer_hot.model.level_nr; k++) {
        if (warm[k] >= cache_model_capacity(&tracer_hot.model, k))
            continue;
        all[k] = 0;
        for (uint32_t i = 0; i < nr; i++)
            all[k] += written_later(window, i, k, left[i][k]);
    }
    free(left);
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
