/* Memory with guard pages and marked bytes around it. */
#include "program_buffers.c"

#include <unistd.h>

#include "program_sanitize.c"

enum { ALIGNMENT = 64, CANARY = 0xa5 };

/* Memory that ends at a page which nobody may touch, with marked bytes on both sides. */
struct space {
    char *map;
    size_t map_bytes; /* with a guard page at either end */
    char *data;       /* map + guard + marked bytes */
    size_t bytes;
};

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Bytes on either side are nobody's, or may be looked at. */
static void space_mark(const struct space *space, bool closed)
{
    size_t page = page_bytes(), behind;
    const char *from, *end;

    if (!space->map)
        return;
    from = space->map + page;
    end = space->data + space->bytes;
    behind = (size_t)(space->map + space->map_bytes - page - end);
    if (closed) {
        CLOSE_MEMORY(from, (size_t)(space->data - from));
        CLOSE_MEMORY(end, behind);
    } else {
        OPEN_MEMORY(from, (size_t)(space->data - from) + space->bytes + behind);
    }
}

static struct space space_map(const char *name, size_t bytes)
{
    size_t page = page_bytes(), padded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t inside = (padded + page - 1) / page * page;
    struct space space = {.map_bytes = inside + 2 * page, .bytes = bytes};

    space.map = map_or_stop(space.map_bytes, name);
    mprotect(space.map, page, PROT_NONE);
    mprotect(space.map + page + inside, page, PROT_NONE);
    space.data = space.map + page + inside - padded;
    memset(space.map + page, CANARY, (size_t)(space.data - space.map) - page);
    memset(space.data + bytes, CANARY, padded - bytes);
    space_mark(&space, true);
    return space;
}

/* ---- what a space began with, and what was written since ---- */

/* A file in memory with all that is between the guard pages. */
static int space_image(const struct space *space, const char *name)
{
    size_t page = page_bytes(), bytes = space->map_bytes - 2 * page, done = 0;
    int image = memfd_create("array", MFD_CLOEXEC);
    ssize_t written = image < 0 ? 0 : 1;

    space_mark(space, false);
    for (; written > 0 && done < bytes; done += (size_t)written)
        written = write(image, space->map + page + done, bytes - done);
    space_mark(space, true);
    if (done < bytes || written <= 0)
        stop(EXIT_MEMORY, "not enough memory for array '%s' of %zu bytes", name, bytes);
    return image;
}

/* Whatever was written since is forgotten: until they are written, its pages are those of
 * the image. */
static void space_renew(const struct space *space, int image)
{
    size_t page = page_bytes(), bytes = space->map_bytes - 2 * page;

    if (bytes > 0 && mmap(space->map + page, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_FIXED, image, 0) == MAP_FAILED)
        stop(EXIT_MEMORY, "no memory for an array: %s", strerror(errno));
}

/* Of bytes; to = 0: there are none. */
struct extent {
    size_t from, to;
};

/* An entry of /proc/self/pagemap: the page is there or swapped out, and no file's. */
static bool is_own_page(uint64_t entry)
{
    return entry >> 62 && !(entry >> 61 & 1);
}

static struct extent space_joined(struct extent a, struct extent b)
{
    if (a.to == 0 || b.to == 0)
        return a.to ? a : b;
    return (struct extent){a.from < b.from ? a.from : b.from, a.to > b.to ? a.to : b.to};
}

static size_t behind(const char *at, const char *data)
{
    return at > data ? (size_t)(at - data) : 0;
}

/* From the first to the last page that was written since space_renew, behind `data`; all
 * of it where the system does not tell. */
static struct extent space_changed(const struct space *space, const char *data)
{
    size_t page = page_bytes(), nr = space->map_bytes / page - 2;
    const char *inside = space->map + page;
    struct extent changed = {0};
    uint64_t *entry = must_alloc(nr, sizeof(*entry));
    int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = (ssize_t)(nr * sizeof(*entry)),
            got = file < 0 ? -1
                           : pread(file, entry, (size_t)bytes,
                                   (off_t)((uintptr_t)inside / page * sizeof(*entry)));

    for (size_t i = 0; i < nr; i++) {
        if (got == bytes && !is_own_page(entry[i]))
            continue;
        if (changed.to == 0)
            changed.from = behind(inside + i * page, data);
        changed.to = behind(inside + (i + 1) * page, data);
    }
    if (file >= 0)
        close(file);
    free(entry);
    return changed;
}

static void space_release(struct space *space)
{
    space_mark(space, false);
    if (space->map)
        munmap(space->map, space->map_bytes);
    *space = (struct space){0};
}

static void space_allow(const struct space *space, int access)
{
    size_t page = page_bytes();

    if (space->map)
        mprotect(space->map + page, space->map_bytes - 2 * page, access);
}

static void space_protect(const struct space *space)
{
    space_allow(space, PROT_READ);
}

static bool is_marked(const char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != (char)CANARY)
            return false;
    return true;
}

static bool is_intact(const struct space *space)
{
    size_t page = page_bytes();
    bool intact;

    space_mark(space, false);
    intact = !space->map || (is_marked(space->map + page, space->data) &&
                             is_marked(space->data + space->bytes,
                                       space->map + space->map_bytes - page));
    space_mark(space, true);
    return intact;
}

static bool holds(const struct space *space, const char *address)
{
    return space->map && address >= space->map && address < space->map + space->map_bytes;
}
