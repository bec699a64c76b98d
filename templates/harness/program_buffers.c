/* The memory of the arrays: mapped, aligned to huge pages, filled. */
#include "program_args.c"
#include "program_contents.c"

#include <sys/mman.h>

enum { HUGE_PAGE_BYTES = 2 << 20 };

struct buffer {
    char *map; /* NULL: a global of the kernel's file, not ours */
    size_t map_bytes;
    void *data;
    void *argument; /* what the kernel is given: data, or pointers to the rows in it */
    size_t bytes;   /* of all records; 0 where another buffer has the memory */
    size_t length;  /* elements */
};

static char *map_or_stop(size_t bytes, const char *name)
{
    char *map =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED)
        stop(EXIT_MEMORY, "not enough memory for array '%s' of %zu bytes", name, bytes);
    return map;
}

/* MADV_POPULATE_WRITE of Linux 5.14, which older headers lack. */
enum { POPULATE_WRITE = 23 };

/* At least one huge page, so that neighbours never share one. `place`: of the first byte
 * behind a multiple of 2 MiB. */
static struct buffer buffer_map(const char *name, size_t bytes, size_t place,
                                bool huge_pages)
{
    size_t unit = HUGE_PAGE_BYTES, rounded = ((bytes + place) / unit + 1) * unit;
    char *map = map_or_stop(rounded + unit, name);
    size_t head = (unit - (size_t)map % unit) % unit;

    if (head)
        munmap(map, head);
    munmap(map + head + rounded, unit - head);
    map += head;
    madvise(map, rounded, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    /* All pages at once: faults one by one cost up to twenty times as much on guests.
     * Kernels before 5.14 do not know it and take the faults. */
    madvise(map, rounded, POPULATE_WRITE);
    return (struct buffer){
        .map = map, .map_bytes = rounded, .data = map + place, .bytes = bytes};
}

/* Captured arrays lie as in the application: the same address modulo 2 MiB, and in huge
 * pages where they did there. */
static struct buffer buffer_of(const struct request *request,
                               const struct inflight_array *array, size_t bytes,
                               const char *contents_text)
{
    struct captured captured;
    struct buffer buffer;

    captured_read(contents_text, &captured);
    buffer = buffer_map(array->name, bytes, captured.place % HUGE_PAGE_BYTES,
                        request->huge_pages || captured.huge_pages);
    free(captured.path);
    return buffer;
}

/* Of all records that hold `length` elements. */
static size_t memory_bytes(const struct inflight_array *array, size_t length)
{
    return (length + array->inside - 1) / array->inside * array->record_bytes;
}

/* ---- rows ---- */

/* Of all levels before the last: pointers of one level. */
static size_t pointers_of(const struct asked *asked, size_t level)
{
    size_t nr = 1;

    for (size_t k = 0; k <= level; k++)
        nr *= asked->extent[k];
    return nr;
}

/* Where captured rows begin, in bytes, -1 = nowhere: before the elements in the file.
 * NULL = one behind the other. */
static long long *row_places(const struct inflight_array *array,
                             const struct asked *asked, size_t nr)
{
    struct captured captured;
    long long *place = NULL;
    FILE *file;
    bool good;

    if (!captured_read(asked->contents, &captured))
        return NULL;
    if (captured.has_rows) {
        size_t bytes = nr * sizeof(*place);

        place = must_alloc(nr, sizeof(*place));
        file = fopen(captured.path, "rb");
        good = file &&
               fseeko(file, (off_t)(captured.offset - (bytes + 4095) / 4096 * 4096),
                      SEEK_SET) == 0 &&
               fread(place, sizeof(*place), nr, file) == nr;
        if (!good)
            stop(EXIT_ARGUMENTS, "cannot read the rows of '%s' from '%s'", array->name,
                 captured.path);
        fclose(file);
    }
    free(captured.path);
    return place;
}

static void point_to_rows(const struct inflight_array *array, const struct asked *asked,
                          char **row, size_t nr, char *data)
{
    long long *place = row_places(array, asked, nr);
    size_t length = asked->extent[array->levels - 1];
    size_t step = (length - (asked->is_folded && length > 1)) * array->bytes;

    for (size_t i = 0; i < nr; i++)
        if (place)
            row[i] = place[i] < 0 ? NULL : data + place[i];
        else
            row[i] = data + i * step;
    free(place);
}

/* What the kernel is given of an array whose elements are at `data`; of rows the pointers
 * to them, level by level, the outermost first, which are freed by the caller. */
static void *argument_of(const struct inflight_array *array, const struct asked *asked,
                         void *data)
{
    size_t levels = array->levels - 1, nr = 0, at = 0;
    char **pointer;

    if (levels == 0)
        return data;
    for (size_t k = 0; k < levels; k++)
        nr += pointers_of(asked, k);
    pointer = must_alloc(nr, sizeof(*pointer));
    for (size_t k = 0; k + 1 < levels; k++) {
        size_t here = pointers_of(asked, k);

        for (size_t i = 0; i < here; i++)
            pointer[at + i] = (char *)(pointer + at + here + i * asked->extent[k + 1]);
        at += here;
    }
    point_to_rows(array, asked, pointer + at, nr - at, data);
    return pointer;
}

/* All arrays of the variant, filled. Returns the pointers to call the kernel with. Only
 * the first entry of a memory has bytes. */
UNUSED_IN_SOME static void **buffers_fill(const struct request *request,
                                          struct buffer *buffer)
{
    void **data = must_alloc(inflight_table.array_nr, sizeof(*data));

    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        const struct inflight_array *array = &inflight_table.array[i];
        const struct asked *asked = &request->sizes[0].array[i];
        size_t bytes = memory_bytes(array, asked->length);

        if (array->memory < i)
            buffer[i] = (struct buffer){.data = buffer[array->memory].data};
        else if (array->is_global)
            buffer[i] =
                (struct buffer){.data = inflight_variant_global((int)i), .bytes = bytes};
        else
            buffer[i] = buffer_of(request, array, bytes, asked->contents);
        buffer[i].length = asked->length;
        if (buffer[i].data)
            fill(array, buffer[i].data, asked->length, asked->contents, request->seed);
        data[i] = buffer[i].argument = argument_of(array, asked, buffer[i].data);
    }
    return data;
}
