/* What an arena holds: arrays, and variants that are loaded. */
#define INFLIGHT_ARENA
#include <stddef.h>

/* Each library has global arrays of its own. */
static void *inflight_variant_global(int i)
{
    (void)i;
    return NULL;
}
#include "program_time.c"

#include <dlfcn.h>
#include <link.h>
#include <sys/sendfile.h>

enum { SLOTS = 16 };

/* Where in the barrier's file we say whose call is under way: a byte for each copy, 0 =
 * none, 1 = the first, 2 = the second. */
enum { TURN_AT = 2048 };

/* A variant that is loaded. */
struct slot {
    void *library; /* NULL = none */
    int file;      /* that it was loaded from */
    calling *empty_call;
    void *(*global)(int i);
    const char *ran; /* see inflight_variant_ran */
    struct timing timing;
    struct buffer *buffer; /* those of all, but for global arrays, of which each library
                              has its own */
    double call_ns;        /* of a warm one; 0 = it was not called yet */
    double empty_ns;
    long long untimed; /* calls before each sample; -1 = not known yet */
};

struct arena {
    struct request request;
    struct shared *shared;
    struct sampler sampler;
    struct buffer *buffer;
    void **data;
    char **kept; /* of memory that the kernel reads and writes; NULL = not kept */
    size_t bytes;
    long long huge_bytes;
    struct slot slot[SLOTS];
    volatile char *turn;
};

/*
 * The code of a library keeps its pages from launch to launch, in the kernel's cache of
 * files. Where they lie decides how often streams of data push it out of the caches that
 * hold both: 2 to 4 % between two copies of one loop were seen, the same in each launch.
 * So each launch puts the code of either side into other pages: what the place does
 * shows as a difference between launches, where it belongs.
 */
enum { PLACES = 64 };

static void move_code(char *from, size_t bytes)
{
    size_t place = (size_t)(now_ns() / 64 % PLACES) * bytes;
    char *pool = mmap(NULL, (PLACES + 1) * bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (pool == MAP_FAILED)
        return;
    memcpy(pool + place, from, bytes);
    __builtin___clear_cache(pool + place, pool + place + bytes);
    if (mprotect(pool + place, bytes, PROT_READ | PROT_EXEC) == 0)
        mremap(pool + place, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, from);
    munmap(pool, (PLACES + 1) * bytes);
}

/* data: an address within the code to be moved. */
static int move_code_of(struct dl_phdr_info *object, size_t size, void *data)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), code = *(uintptr_t *)data;

    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + part->p_vaddr, end = from + part->p_memsz;

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || code < from ||
            code >= end)
            continue;
        from -= from % page;
        end += (page - end % page) % page;
        move_code((char *)from, end - from);
        return 1;
    }
    return 0;
}

static void move_code_at(uintptr_t code)
{
    dl_iterate_phdr(move_code_of, &code);
}

/* ---- the arrays ---- */

static volatile char *turn_of(struct shared *shared, const struct request *request)
{
    static char nobody_looks;

    if (!request->barrier || request->index >= BARRIER_BYTES - TURN_AT)
        return &nobody_looks;
    return (volatile char *)shared + TURN_AT + request->index;
}

/* All entries of one memory. */
static void fill_memory(const struct arena *arena, size_t memory, void *data)
{
    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        const struct asked *asked = &arena->request.sizes[0].array[i];

        if (inflight_table.array[i].memory == memory)
            fill(&inflight_table.array[i], data, asked->length, asked->contents,
                 arena->request.seed);
    }
}

static bool is_written(size_t memory)
{
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        if (inflight_table.array[i].memory == memory &&
            inflight_table.array[i].is_written)
            return true;
    return false;
}

/* What the kernel reads and changes is put aside; where there is no room, it is made anew
 * each time. */
static char *keep(const struct buffer *buffer)
{
    char *copy = mmap(NULL, buffer->bytes ? buffer->bytes : 1, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (copy == MAP_FAILED)
        return NULL;
    memcpy(copy, buffer->data, buffer->bytes);
    return copy;
}

/* What a variant must not write to, it cannot. */
static void fill_all(struct arena *arena)
{
    size_t nr = inflight_table.array_nr;

    arena->buffer = must_alloc(nr, sizeof(*arena->buffer));
    arena->kept = must_alloc(nr, sizeof(*arena->kept));
    arena->data = buffers_fill(&arena->request, arena->buffer);
    for (size_t i = 0; i < nr; i++) {
        const struct inflight_array *array = &inflight_table.array[i];
        const struct buffer *buffer = &arena->buffer[i];

        arena->bytes += buffer->bytes;
        if (array->memory < i || array->is_global)
            continue;
        if (array->is_changed)
            arena->kept[i] = keep(buffer);
        else if (!is_written(i))
            mprotect(buffer->map, buffer->map_bytes, PROT_READ);
    }
}

/* Both sides get what they changed back: what a call does, and how long it takes, may
 * depend on it. */
static void restore(const struct arena *arena, struct slot *const side[2])
{
    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        const struct inflight_array *array = &inflight_table.array[i];

        if (array->memory < i || !array->is_changed)
            continue;
        if (array->is_global) {
            fill_memory(arena, i, side[0]->timing.data[i]);
            fill_memory(arena, i, side[1]->timing.data[i]);
        } else if (arena->kept[i]) {
            memcpy(arena->buffer[i].data, arena->kept[i], arena->buffer[i].bytes);
        } else {
            fill_memory(arena, i, arena->buffer[i].data);
        }
    }
}

/* ---- variants ---- */

static void take_arrays(const struct arena *arena, struct slot *slot)
{
    size_t nr = inflight_table.array_nr;

    slot->buffer = must_alloc(nr, sizeof(struct buffer));
    slot->timing.data = must_alloc(nr, sizeof(void *));
    for (size_t i = 0; i < nr; i++) {
        const struct inflight_array *array = &inflight_table.array[i];

        slot->buffer[i] = arena->buffer[i];
        if (array->is_global && array->memory == i) {
            slot->buffer[i].data = slot->global((int)i);
            fill_memory(arena, i, slot->buffer[i].data);
        } else if (array->memory < i) {
            slot->buffer[i].data = slot->buffer[array->memory].data;
        }
        slot->timing.data[i] =
            array->levels > 1 ? slot->buffer[i].argument : slot->buffer[i].data;
    }
}

static void unload(struct slot *slot)
{
    if (!slot->library)
        return;
    dlclose(slot->library);
    close(slot->file);
    free(slot->buffer);
    free(slot->timing.data);
    *slot = (struct slot){0};
}

/* What is loaded twice is loaded once, and shares its variables: so each slot has a file
 * of its own. Where there are none in memory, or they must not be run, the library's own
 * has to do. */
static void *open_library(const char *path, int *file)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    char name[64];
    void *library;
    struct stat about;
    off_t at = 0;

    *file = memfd_create("variant", MFD_CLOEXEC);
    if (from >= 0 && fstat(from, &about) == 0)
        while (at < about.st_size &&
               sendfile(*file, from, &at, (size_t)(about.st_size - at)) > 0)
            ;
    if (from >= 0)
        close(from);
    snprintf(name, sizeof(name), "/proc/self/fd/%d", *file);
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static bool find_calls(struct slot *slot)
{
    *(void **)&slot->timing.call = dlsym(slot->library, "inflight_variant_call");
    *(void **)&slot->empty_call = dlsym(slot->library, "inflight_variant_empty_call");
    *(void **)&slot->global = dlsym(slot->library, "inflight_variant_global");
    slot->ran = dlsym(slot->library, "inflight_variant_ran");
    return slot->timing.call && slot->empty_call && slot->global && slot->ran;
}

static bool load(struct arena *arena, struct slot *slot, const char *path)
{
    unload(slot);
    slot->library = open_library(path, &slot->file);
    if (!slot->library || !find_calls(slot)) {
        fprintf(stderr, "%s\n", slot->library ? "it has no kernel" : dlerror());
        return false;
    }
    move_code_at((uintptr_t)slot->timing.call);
    slot->timing.request = &arena->request;
    slot->timing.shared = arena->shared;
    slot->timing.sampler = arena->sampler;
    slot->untimed = -1;
    take_arrays(arena, slot);
    slot->timing.sampler.buffer = slot->buffer;
    slot->empty_ns = empty_call_ns(&slot->timing, slot->empty_call);
    return true;
}
