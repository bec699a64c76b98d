#include "observe/sample/sample_fold.h"

#include <stdlib.h>
#include <string.h>

/* Code in one process's memory. */
struct mapping {
    uint64_t start, end, offset;
    uint32_t module;
};

struct process {
    int id;
    uint32_t program; /* the first file that it mapped */
    struct mapping *map;
    size_t map_nr, map_alloc;
};

struct sample_fold {
    struct samples *samples;
    struct process *process;
    size_t process_nr, process_alloc;
    /* open addressing: 1 + place in samples->hit; 0 = free */
    uint32_t *slot;
    size_t slot_nr;    /* a power of two */
    uint64_t start_ns; /* of the first record */
};

struct sample_fold *sample_fold_new(struct samples *samples)
{
    struct sample_fold *fold = xcalloc(1, sizeof(*fold));

    fold->samples = samples;
    fold->slot_nr = 1024;
    fold->slot = xcalloc(fold->slot_nr, sizeof(*fold->slot));
    return fold;
}

void sample_fold_free(struct sample_fold *fold)
{
    if (!fold)
        return;
    for (size_t i = 0; i < fold->process_nr; i++)
        free(fold->process[i].map);
    free(fold->process);
    free(fold->slot);
    free(fold);
}

/* ---- processes and what they have mapped ---- */

/* Newest first: numbers of processes come back. */
static struct process *find_process(struct sample_fold *fold, int id)
{
    for (size_t i = fold->process_nr; i-- > 0;)
        if (fold->process[i].id == id)
            return &fold->process[i];
    return NULL;
}

static struct process *get_process(struct sample_fold *fold, int id)
{
    struct process *process = find_process(fold, id);

    if (process)
        return process;
    GROW(fold->process, fold->process_nr + 1, fold->process_alloc);
    process = &fold->process[fold->process_nr++];
    *process = (struct process){.id = id, .program = UINT32_MAX};
    return process;
}

static void begin_process(struct sample_fold *fold, int id, int parent_id)
{
    struct process *process = get_process(fold, id);
    const struct process *parent = find_process(fold, parent_id);

    process->map_nr = 0;
    process->program = UINT32_MAX;
    if (!parent)
        return;
    GROW(process->map, parent->map_nr, process->map_alloc);
    if (parent->map_nr)
        memcpy(process->map, parent->map, parent->map_nr * sizeof(*parent->map));
    process->map_nr = parent->map_nr;
    process->program = parent->program;
}

static uint32_t module_of(struct samples *samples, const char *path)
{
    for (size_t i = samples->module_nr; i-- > 0;)
        if (strcmp(samples->module[i].path, path) == 0)
            return (uint32_t)i;
    GROW(samples->module, samples->module_nr + 1, samples->module_alloc);
    samples->module[samples->module_nr].path = xstrdup(path);
    return (uint32_t)samples->module_nr++;
}

/* A later mapping hides what it lies on; find_mapping looks from the end. */
static void add_mapping(struct sample_fold *fold, const struct sample_record *record)
{
    struct process *process = get_process(fold, record->process);
    uint32_t module = module_of(fold->samples, record->path);

    if (process->program == UINT32_MAX && sample_module_is_file(record->path))
        process->program = module;
    GROW(process->map, process->map_nr + 1, process->map_alloc);
    process->map[process->map_nr++] = (struct mapping){
        record->address, record->address + record->length, record->offset, module};
}

static const struct mapping *find_mapping(const struct process *process, uint64_t at)
{
    for (size_t i = process ? process->map_nr : 0; i-- > 0;)
        if (at >= process->map[i].start && at < process->map[i].end)
            return &process->map[i];
    return NULL;
}

/* ---- hits ---- */

static double since(const struct sample_fold *fold, uint64_t time_ns)
{
    return (double)(time_ns - fold->start_ns) * 1e-9;
}

static uint32_t thread_of(struct sample_fold *fold, const struct sample_record *record)
{
    struct samples *samples = fold->samples;
    const struct process *process = find_process(fold, record->process);
    uint32_t program = process ? process->program : UINT32_MAX;

    for (size_t i = samples->thread_nr; i-- > 0;)
        if (samples->thread[i].thread == record->thread &&
            samples->thread[i].process == record->process &&
            samples->thread[i].program == program)
            return (uint32_t)i;
    GROW(samples->thread, samples->thread_nr + 1, samples->thread_alloc);
    samples->thread[samples->thread_nr] = (struct sample_thread){
        record->process, record->thread, program, since(fold, record->time_ns), 0};
    return (uint32_t)samples->thread_nr++;
}

static size_t slot_of(const struct sample_fold *fold, const struct sample_hit *hit)
{
    uint64_t mixed =
        (hit->offset + ((uint64_t)hit->thread << 40) + ((uint64_t)hit->module << 52)) *
        UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
    size_t at = (size_t)(mixed >> 20) & (fold->slot_nr - 1);

    for (; fold->slot[at]; at = (at + 1) & (fold->slot_nr - 1)) {
        const struct sample_hit *there = &fold->samples->hit[fold->slot[at] - 1];

        if (there->offset == hit->offset && there->thread == hit->thread &&
            there->module == hit->module)
            break;
    }
    return at;
}

static void grow_slots(struct sample_fold *fold)
{
    if (2 * fold->samples->hit_nr < fold->slot_nr)
        return;
    free(fold->slot);
    fold->slot_nr *= 2;
    fold->slot = xcalloc(fold->slot_nr, sizeof(*fold->slot));
    for (size_t i = 0; i < fold->samples->hit_nr; i++)
        fold->slot[slot_of(fold, &fold->samples->hit[i])] = (uint32_t)i + 1;
}

static void add_hit(struct sample_fold *fold, const struct sample_record *record)
{
    struct samples *samples = fold->samples;
    const struct mapping *map =
        find_mapping(find_process(fold, record->process), record->address);
    struct sample_hit hit = {.thread = thread_of(fold, record),
                             .offset = record->address};
    size_t at;

    hit.module = map ? map->module : module_of(samples, "[unknown]");
    if (map && sample_module_is_file(samples->module[map->module].path))
        hit.offset = record->address - map->start + map->offset;
    samples->thread[hit.thread].last_s = since(fold, record->time_ns);
    at = slot_of(fold, &hit);
    if (!fold->slot[at]) {
        GROW(samples->hit, samples->hit_nr + 1, samples->hit_alloc);
        samples->hit[samples->hit_nr++] = hit;
        fold->slot[at] = (uint32_t)samples->hit_nr;
    }
    if (record->kind == SAMPLE_CLOCK)
        samples->hit[fold->slot[at] - 1].samples++;
    else
        samples->hit[fold->slot[at] - 1].misses++;
    samples->total += record->kind == SAMPLE_CLOCK;
    grow_slots(fold);
}

void sample_fold_add(struct sample_fold *fold, const struct sample_record *record)
{
    if (!fold->start_ns)
        fold->start_ns = record->time_ns;
    switch (record->kind) {
    case SAMPLE_CLOCK:
    case SAMPLE_MISS:
        add_hit(fold, record);
        break;
    case SAMPLE_MAP:
        add_mapping(fold, record);
        break;
    case SAMPLE_FORK:
        if (record->process != record->parent)
            begin_process(fold, record->process, record->parent);
        break;
    case SAMPLE_EXEC:
        begin_process(fold, record->process, -1);
        break;
    case SAMPLE_LOST:
        fold->samples->lost += record->count;
        break;
    }
}
