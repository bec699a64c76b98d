#define _GNU_SOURCE /* process_vm_readv */
#include "core/files/fs.h"
#include "observe/capture/trace_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int process_read(pid_t process, uint64_t address, void *to, size_t bytes)
{
    char *at = to;

    while (bytes > 0) {
        struct iovec mine = {at, bytes}, theirs = {(void *)(uintptr_t)address, bytes};
        ssize_t got = process_vm_readv(process, &mine, 1, &theirs, 1, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        at += got;
        address += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return 0;
}

/* Code may not be written to but by who traces it. */
int process_write(pid_t process, uint64_t address, const void *from, size_t bytes)
{
    char *path = xasprintf("/proc/%ld/mem", (long)process);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t done = fd < 0 ? -1 : pwrite(fd, from, bytes, (off_t)address);

    if (fd >= 0)
        close(fd);
    free(path);
    return done == (ssize_t)bytes ? 0 : -1;
}

/* ---- mappings ---- */

static bool read_line(char *text, struct mapping_line *line)
{
    int path = 0;

    if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &line->begin,
               &line->end, line->mode, &line->offset, &path) < 4)
        return false;
    text[strcspn(text, "\n")] = 0;
    line->path = path ? text + path : "";
    return true;
}

static void each_line(pid_t process, const char *name,
                      bool (*look)(void *data, char *line), void *data)
{
    char *path = xasprintf("/proc/%ld/%s", (long)process, name), *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");

    while (file && getline(&text, &room, file) > 0)
        if (!look(data, text))
            break;
    if (file)
        fclose(file);
    free(text);
    free(path);
}

struct looking {
    mapping_look *look;
    void *data;
};

static bool look_at_line(void *data, char *text)
{
    const struct looking *looking = data;
    struct mapping_line line;

    return !read_line(text, &line) || looking->look(looking->data, &line);
}

void process_mappings(pid_t process, mapping_look *look, void *data)
{
    each_line(process, "maps", look_at_line, &(struct looking){look, data});
}

/* ---- the pages of a range ---- */

struct pages {
    uint64_t begin, end;
    double inside; /* share of the mapping that is in the range */
    double resident_kib, huge_kib, page_kib;
};

static void begin_mapping(struct pages *pages, const struct mapping_line *line)
{
    uint64_t from = line->begin > pages->begin ? line->begin : pages->begin;
    uint64_t to = line->end < pages->end ? line->end : pages->end;

    pages->inside =
        from < to ? (double)(to - from) / (double)(line->end - line->begin) : 0;
}

static void add_pages(struct pages *pages, const char *name, double kib)
{
    if (!strcmp(name, "KernelPageSize"))
        pages->page_kib = kib;
    if (!strcmp(name, "Rss")) {
        pages->resident_kib += pages->inside * kib;
        if (pages->page_kib > 64) /* of hugetlbfs */
            pages->huge_kib += pages->inside * kib;
    }
    if (!strcmp(name, "AnonHugePages") || !strcmp(name, "ShmemPmdMapped") ||
        !strcmp(name, "FilePmdMapped"))
        pages->huge_kib += pages->inside * kib;
}

static bool look_at_pages(void *data, char *text)
{
    struct pages *pages = data;
    struct mapping_line line;
    char name[64];
    unsigned long long kib;

    if (read_line(text, &line))
        begin_mapping(pages, &line);
    else if (sscanf(text, "%63[^:]: %llu kB", name, &kib) == 2)
        add_pages(pages, name, (double)kib);
    return true;
}

double trace_stop_huge_share(const struct trace_stop *stop, uint64_t address,
                             unsigned long long bytes)
{
    struct pages pages = {.begin = address, .end = address + bytes};

    each_line(stop->process, "smaps", look_at_pages, &pages);
    return pages.resident_kib > 0 ? pages.huge_kib / pages.resident_kib : 0;
}

/* ---- the mapping around an address ---- */

struct around {
    uint64_t address, begin, end;
};

static bool look_around(void *data, const struct mapping_line *line)
{
    struct around *around = data;

    if (line->begin <= around->address && around->address < line->end) {
        around->begin = line->begin;
        around->end = line->end;
    } else if (around->end && line->begin == around->end && line->mode[0] == 'r') {
        around->end = line->end; /* side by side: one piece to the application */
    }
    return true;
}

/*
 * The block of glibc's malloc that begins at the address: its size stands before it, with
 * three flags (malloc/malloc.c, "Chunks of memory are maintained using a `boundary tag'
 * method"). Believed only where it fits to what follows.
 */
static uint64_t block_end(pid_t process, const struct around *around)
{
    uint64_t words[2], next, size;

    if (around->address % 16 || around->address < around->begin + 16 ||
        process_read(process, around->address - 16, words, sizeof(words)))
        return 0;
    size = words[1] & ~(uint64_t)7;
    if (size < 32 || size % 16 || size > around->end - (around->address - 16))
        return 0;
    if (words[1] & 2) /* mapped for itself, `words[0]` behind the start of its pages */
        return (around->address - 16 - words[0]) % 4096 == 0 &&
                       (size + words[0]) % 4096 == 0
                   ? around->address - 16 + size
                   : 0;
    if (process_read(process, around->address - 16 + size + 8, &next, sizeof(next)) ||
        !(next & 1) || (next & ~(uint64_t)7) < 16)
        return 0;
    return around->address - 16 + size + 8;
}

bool trace_stop_memory(const struct trace_stop *stop, uint64_t address,
                       struct trace_memory *memory)
{
    struct around around = {.address = address};
    uint64_t bias = stop->frame.bias, block, variable;

    *memory = (struct trace_memory){0};
    process_mappings(stop->process, look_around, &around);
    if (!around.end)
        return false;
    variable = stop->file->file && address >= bias
                   ? entry_variable_end(stop->file->file, address - bias)
                   : 0;
    block = variable ? 0 : block_end(stop->process, &around);
    *memory = variable ? (struct trace_memory){variable + bias, "variable"}
              : block  ? (struct trace_memory){block, "block"}
                       : (struct trace_memory){around.end, "mapping"};
    return true;
}

unsigned long long trace_stop_untouched(const struct trace_stop *stop, uint64_t address,
                                        unsigned long long bytes)
{
    char *path = xasprintf("/proc/%ld/pagemap", (long)stop->process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), entry[512];
    uint64_t first = address / page, end = (address + bytes + page - 1) / page;
    unsigned long long untouched = 0;

    while (fd >= 0 && first < end) {
        size_t nr = end - first < ARRAY_SIZE(entry) ? end - first : ARRAY_SIZE(entry);
        ssize_t got =
            pread(fd, entry, nr * sizeof(*entry), (off_t)(first * sizeof(*entry)));

        if (got != (ssize_t)(nr * sizeof(*entry)))
            break;
        for (size_t i = 0; i < nr; i++) /* neither present nor swapped out */
            untouched += entry[i] >> 62 ? 0 : page;
        first += nr;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    return untouched < bytes ? untouched : bytes;
}

int trace_stop_read(const struct trace_stop *stop, uint64_t address, void *to,
                    size_t bytes)
{
    return process_read(stop->process, address, to, bytes);
}
