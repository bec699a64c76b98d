/* Breakpoints: where, and how they get into memory. */
#include "core/base/error.h"
#include "observe/capture/trace_state.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct breakpoint *breakpoint_at(struct traced_process *process, uint64_t address)
{
    for (size_t i = 0; i < process->nr; i++)
        if (process->item[i].address == address)
            return &process->item[i];
    return NULL;
}

void breakpoint_set(const struct trace *trace, const struct traced_process *process,
                    struct breakpoint *breakpoint, bool on)
{
    size_t bytes = trace->arch->breakpoint_bytes;
    const void *code = on ? trace->arch->breakpoint : breakpoint->original;

    if (breakpoint->is_set != on &&
        process_write(process->pid, breakpoint->address, code, bytes) == 0)
        breakpoint->is_set = on;
}

static void add(struct trace *trace, struct traced_process *process,
                struct breakpoint breakpoint)
{
    if (breakpoint_at(process, breakpoint.address) ||
        process_read(process->pid, breakpoint.address, breakpoint.original,
                     trace->arch->breakpoint_bytes))
        return;
    GROW(process->item, process->nr + 1, process->alloc);
    process->item[process->nr] = breakpoint;
    breakpoint_set(trace, process, &process->item[process->nr++], true);
}

void breakpoints_forget(struct traced_process *process)
{
    free(process->item);
    process->item = NULL;
    process->nr = process->alloc = 0;
}

/* ---- what the kernel told the program at its start ---- */

struct start {
    uint64_t entry, headers, header_nr;
};

static struct start read_start(pid_t process)
{
    char *path = xasprintf("/proc/%ld/auxv", (long)process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct start start = {0};
    uint64_t pair[2];

    while (fd >= 0 && read(fd, pair, sizeof(pair)) == sizeof(pair) && pair[0]) {
        if (pair[0] == AT_ENTRY)
            start.entry = pair[1];
        if (pair[0] == AT_PHDR)
            start.headers = pair[1];
        if (pair[0] == AT_PHNUM)
            start.header_nr = pair[1];
    }
    if (fd >= 0)
        close(fd);
    free(path);
    return start;
}

static uint64_t read_debug_pointer(pid_t process, uint64_t dynamic)
{
    ElfW(Dyn) entry;

    for (; process_read(process, dynamic, &entry, sizeof(entry)) == 0 &&
           entry.d_tag != DT_NULL;
         dynamic += sizeof(entry))
        if (entry.d_tag == DT_DEBUG)
            return entry.d_un.d_ptr;
    return 0;
}

/* Where the loader passes whenever libraries came or went (struct r_debug of <link.h>); 0
 * = the program has none. */
static uint64_t loader_address(pid_t process)
{
    struct start start = read_start(process);
    uint64_t bias = 0, dynamic = 0, pointer;
    struct r_debug debug;

    for (uint64_t i = 0; i < start.header_nr; i++) {
        ElfW(Phdr) header;

        if (process_read(process, start.headers + i * sizeof(header), &header,
                         sizeof(header)))
            return 0;
        if (header.p_type == PT_PHDR)
            bias = start.headers - header.p_vaddr;
        if (header.p_type == PT_DYNAMIC)
            dynamic = header.p_vaddr;
    }
    pointer = dynamic ? read_debug_pointer(process, dynamic + bias) : 0;
    if (!pointer || process_read(process, pointer, &debug, sizeof(debug)))
        return 0;
    return debug.r_brk;
}

void breakpoints_begin(struct trace *trace, struct traced_process *process)
{
    struct start start = read_start(process->pid);

    breakpoints_forget(process);
    if (start.entry)
        add(trace, process,
            (struct breakpoint){.kind = BREAKPOINT_START, .address = start.entry});
}

/* ---- the function ---- */

static char *program_of(pid_t process)
{
    char *link = xasprintf("/proc/%ld/exe", (long)process), path[PATH_MAX];
    ssize_t length = readlink(link, path, sizeof(path) - 1);

    free(link);
    return length > 0 ? xstrndup(path, (size_t)length) : NULL;
}

/* What was found is remembered for the sentence at the end. */
static void note_found(struct trace *trace, const struct traced_file *file)
{
    struct trace_outcome *outcome = trace->outcome;

    outcome->inlined += file->points.inlined;
    strvec_push_all(&outcome->inlined_at, &file->points.inlined_at);
    if (!outcome->found_in && (file->points.nr || file->points.inlined))
        outcome->found_in = xstrdup(file->path);
}

/* The system's libraries have functions of many names; those without debug information
 * are not of the application. */
static void drop_foreign(struct traced_file *file)
{
    if (!file->points.has_debug &&
        (!strncmp(file->path, "/lib", 4) || !strncmp(file->path, "/usr/lib", 8)))
        entry_points_release(&file->points);
}

/* Of libraries only those with a symbol are looked into: there are many. */
static size_t file_of(struct trace *trace, const char *path, bool is_program)
{
    struct traced_file *file;
    struct error why = {0};

    for (size_t i = 0; i < trace->file_nr; i++)
        if (!strcmp(trace->file[i].path, path))
            return i;
    GROW(trace->file, trace->file_nr + 1, trace->file_alloc);
    file = &trace->file[trace->file_nr];
    *file = (struct traced_file){.path = xstrdup(path)};
    if (entry_file_open(path, &file->file, &why) && is_program &&
        !trace->outcome->unreadable)
        trace->outcome->unreadable = xstrdup(why.text);
    if (file->file &&
        (is_program || entry_has_symbol(file->file, trace->request->function)))
        entry_points_find(file->file, trace->request->function, trace->request->source,
                          &file->points);
    if (!is_program)
        drop_foreign(file);
    note_found(trace, file);
    return trace->file_nr++;
}

struct planting {
    struct trace *trace;
    struct traced_process *process;
    const char *program;
};

static bool plant(void *data, const struct mapping_line *line)
{
    struct planting *planting = data;
    struct trace *trace = planting->trace;
    uint64_t bias;
    size_t place;

    if (line->mode[2] != 'x' || line->path[0] != '/')
        return true;
    place = file_of(trace, line->path,
                    planting->program && !strcmp(planting->program, line->path));
    const struct traced_file *file = &trace->file[place];
    if (!file->points.nr || !entry_bias(file->file, line->offset, line->begin, &bias))
        return true;
    for (size_t i = 0; i < file->points.nr; i++)
        add(trace, planting->process,
            (struct breakpoint){.kind = BREAKPOINT_CALL,
                                .address = file->points.item[i].address + bias,
                                .file = place,
                                .point = i,
                                .bias = bias});
    return true;
}

void breakpoints_find(struct trace *trace, struct traced_process *process, bool first)
{
    char *program = program_of(process->pid);
    uint64_t loaded = first ? loader_address(process->pid) : 0;

    process_mappings(process->pid, plant, &(struct planting){trace, process, program});
    if (loaded)
        add(trace, process,
            (struct breakpoint){.kind = BREAKPOINT_LOADED, .address = loaded});
    free(program);
}
