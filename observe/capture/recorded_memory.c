#define _GNU_SOURCE /* process_vm_readv */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/base.h"
#include "core/code/code.h"
#include "observe/capture/recorded_call.h"

static int process_read(pid_t process, uint64_t address, void *to, size_t bytes)
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

/* ---- mappings ---- */

/* A line of /proc/PID/maps. */
struct mapping_line {
    uint64_t begin, end, offset;
    char mode[8];
    const char *path; /* "" = none */
};
/* Until it returns false. */
typedef bool mapping_look(void *data, const struct mapping_line *line);

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

static void process_mappings(pid_t process, mapping_look *look, void *data)
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

double recorded_huge_share(const struct recorded_call *call, uint64_t address,
                           unsigned long long bytes)
{
    struct pages pages = {.begin = address, .end = address + bytes};

    each_line(call->process, "smaps", look_at_pages, &pages);
    return pages.resident_kib > 0 ? pages.huge_kib / pages.resident_kib : 0;
}

/* ---- the file around an address ---- */

struct module {
    uint64_t address;
    char *path;   /* of the last mapping of a file, and */
    uint64_t end; /* of what lies behind it without a gap */
    bool found;
};

/* Variables without an initial value lie behind the file's last page. */
static bool look_for_module(void *data, const struct mapping_line *line)
{
    struct module *module = data;

    if (*line->path == '/') {
        free(module->path);
        module->path = xstrdup(line->path);
    } else if (*line->path || line->begin != module->end) {
        free(module->path);
        module->path = NULL;
    }
    module->end = line->end;
    module->found = line->begin <= module->address && module->address < line->end;
    return !module->found && line->begin <= module->address;
}

char *process_file_at(pid_t process, uint64_t address)
{
    struct module module = {.address = address};

    process_mappings(process, look_for_module, &module);
    if (!module.found) {
        free(module.path);
        module.path = NULL;
    }
    return module.path;
}

struct biased {
    const struct entry_file *file;
    const char *path;
    uint64_t bias;
    bool found;
};

static bool look_for_bias(void *data, const struct mapping_line *line)
{
    struct biased *biased = data;

    biased->found = !strcmp(line->path, biased->path) && strchr(line->mode, 'x') &&
                    entry_bias(biased->file, line->offset, line->begin, &biased->bias);
    return !biased->found;
}

/* Behind the last byte of the variable that holds the address; 0 = of none that a symbol
 * tells of. */
static uint64_t variable_end(pid_t process, uint64_t address)
{
    struct biased biased = {.path = process_file_at(process, address)};
    struct entry_file *file = NULL;
    uint64_t end = 0;

    if (biased.path && entry_file_open(biased.path, &file, NULL) == 0) {
        biased.file = file;
        process_mappings(process, look_for_bias, &biased);
        if (biased.found && address >= biased.bias)
            end = entry_variable_end(file, address - biased.bias);
        end += end ? biased.bias : 0;
    }
    entry_file_close(file);
    free((char *)biased.path);
    return end;
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

/* What was read of a process last, so that neighbouring words cost nothing. */
struct window {
    pid_t process;
    uint64_t begin, bytes;
    uint64_t word[8192];
};

static bool window_word(struct window *window, uint64_t address, uint64_t *word)
{
    if (address < window->begin || address + 8 > window->begin + window->bytes) {
        window->begin = address;
        window->bytes = sizeof(window->word);
        while (window->bytes >= 8 &&
               process_read(window->process, address, window->word, window->bytes))
            window->bytes /= 2;
    }
    if (window->bytes < 8)
        return false;
    *word = window->word[(address - window->begin) / 8];
    return true;
}

/*
 * A chunk of glibc's malloc: its size stands in its second word, with three flags
 * (malloc/malloc.c, "Chunks of memory are maintained using a `boundary tag' method").
 * Returns what is behind it, 0 where there is no chunk that fits to what follows; *end is
 * the end of what its user has, 0 where nobody has it.
 */
static uint64_t behind_chunk(struct window *window, const struct around *around,
                             uint64_t chunk, uint64_t *end)
{
    uint64_t before, size, next;

    *end = 0;
    if (!window_word(window, chunk, &before) || !window_word(window, chunk + 8, &size))
        return 0;
    bool is_mapped = size & 2;
    size &= ~(uint64_t)7;
    if (size < 32 || size % 16 || size > around->end - chunk)
        return 0;
    if (is_mapped) { /* for itself, `before` behind the start of its pages */
        *end = chunk + size;
        return (chunk - before) % 4096 == 0 && (size + before) % 4096 == 0 ? *end : 0;
    }
    if (chunk + size == around->end) /* what is left on top */
        return around->end;
    if (!window_word(window, chunk + size + 8, &next) || (next & ~(uint64_t)7) < 16)
        return 0;
    *end = next & 1 ? chunk + size + 8 : 0;
    return chunk + size;
}

/* The end of the block of malloc that holds the address; 0 = it is in none. One that
 * begins there is found without those before it. */
static uint64_t block_end(pid_t process, const struct around *around)
{
    struct window *window = xcalloc(1, sizeof(*window));
    uint64_t end = 0, chunk = around->address - 16, behind = 0;

    window->process = process;
    if (around->address % 16 == 0 && around->address >= around->begin + 16)
        behind = behind_chunk(window, around, chunk, &end);
    if (!behind || !end) {
        end = 0;
        behind = (around->begin + 15) / 16 * 16; /* of the heap, or mapped for itself */
        for (chunk = behind; behind && behind <= around->address; chunk = behind)
            behind = behind_chunk(window, around, chunk, &end);
    }
    free(window);
    return behind && end > around->address ? end : 0;
}

bool recorded_memory_at(const struct recorded_call *call, uint64_t address,
                        struct recorded_memory *memory)
{
    struct around around = {.address = address};

    *memory = (struct recorded_memory){0};
    process_mappings(call->process, look_around, &around);
    if (!around.end)
        return false;
    uint64_t variable = variable_end(call->process, address),
             block = variable ? 0 : block_end(call->process, &around);
    *memory = variable ? (struct recorded_memory){variable, RECORDED_VARIABLE}
              : block  ? (struct recorded_memory){block, RECORDED_BLOCK}
                       : (struct recorded_memory){around.end, RECORDED_MAPPING};
    return true;
}

const char *recorded_piece_word(enum recorded_piece piece)
{
    static const char *const word[] = {[RECORDED_MAPPING] = "mapping",
                                       [RECORDED_BLOCK] = "block",
                                       [RECORDED_VARIABLE] = "variable"};
    return word[piece];
}

unsigned long long recorded_untouched(const struct recorded_call *call, uint64_t address,
                                      unsigned long long bytes)
{
    char *path = xasprintf("/proc/%ld/pagemap", (long)call->process);
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

int recorded_read(const struct recorded_call *call, uint64_t address, void *to,
                  size_t bytes)
{
    return process_read(call->process, address, to, bytes);
}
