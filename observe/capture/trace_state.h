/* What the files trace*.c share: processes, threads, breakpoints. Private to
 * observe/capture. */
#ifndef CORE_OBSERVE_TRACE_STATE_H
#define CORE_OBSERVE_TRACE_STATE_H

#include "observe/capture/trace.h"
#include "observe/capture/trace_arch.h"

/* A file with code, looked into once. */
struct traced_file {
    char *path;
    struct entry_file *file; /* NULL = cannot be looked into */
    struct entry_points points;
};

enum breakpoint_kind {
    BREAKPOINT_START,  /* the program's first instruction: its libraries are there */
    BREAKPOINT_LOADED, /* the loader has changed the list of libraries */
    BREAKPOINT_CALL
};
struct breakpoint {
    enum breakpoint_kind kind;
    uint64_t address;
    uint8_t original[4];
    bool is_set;  /* in memory */
    size_t file;  /* CALL: in trace.file */
    size_t point; /* in its points */
    uint64_t bias;
};

struct traced_process {
    pid_t pid;
    struct breakpoint *item;
    size_t nr, alloc;
    long long calls;
};
struct traced_thread {
    pid_t id, process;
    bool stands;      /* stopped, by whatever */
    bool has_pending; /* stopped by an event that nobody has looked at */
    int pending;
    int signal; /* to be handed on when it goes on; 0 = none */
};

struct trace {
    const struct trace_request *request;
    struct trace_outcome *outcome;
    const struct trace_arch *arch;
    pid_t root;
    struct traced_file *file;
    size_t file_nr, file_alloc;
    struct traced_process *process;
    size_t process_nr, process_alloc;
    struct traced_thread *thread;
    size_t thread_nr, thread_alloc;
    bool done; /* no call is waited for any more */
};

struct trace_stop {
    struct trace *trace;
    pid_t process, thread;
    const struct traced_file *file;
    const struct entry_point *point;
    struct entry_frame frame;
};

/* trace_breaks.c */
struct breakpoint *breakpoint_at(struct traced_process *process, uint64_t address);
/* Writes or takes back the instruction. */
void breakpoint_set(const struct trace *trace, const struct traced_process *process,
                    struct breakpoint *breakpoint, bool on);
/* After an exec: only the breakpoint at the start. */
void breakpoints_begin(struct trace *trace, struct traced_process *process);
/* The function in all that is mapped by now. */
void breakpoints_find(struct trace *trace, struct traced_process *process, bool first);
void breakpoints_forget(struct traced_process *process);

/* trace_memory.c */
int process_read(pid_t process, uint64_t address, void *to, size_t bytes);
int process_write(pid_t process, uint64_t address, const void *from, size_t bytes);
/* A line of /proc/PID/maps. */
struct mapping_line {
    uint64_t begin, end, offset;
    char mode[8];
    const char *path; /* "" = none */
};
/* Calls `look` for each until it returns false. */
typedef bool mapping_look(void *data, const struct mapping_line *line);
void process_mappings(pid_t process, mapping_look *look, void *data);

#endif
