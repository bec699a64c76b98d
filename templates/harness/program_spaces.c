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
