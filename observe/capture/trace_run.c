#define _GNU_SOURCE /* __WALL, PTRACE_SEIZE's requests */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base.h"
#include "observe/capture/trace.h"
#include "observe/capture/trace_state.h"

/* ---- threads ---- */

/* Processes and threads under the tracer: known, halted, let go. */

/* Far above what a busy machine keeps a thread waiting. */
static const double halt_limit_s = 1;

/* trace_threads.c */
static struct traced_process *process_find(struct trace *trace, pid_t pid)
{
    for (size_t i = 0; i < trace->process_nr; i++)
        if (trace->process[i].pid == pid)
            return &trace->process[i];
    return NULL;
}

/* A forked process has its parent's memory, and so its breakpoints. */
static struct traced_process *process_add(struct trace *trace, pid_t pid, pid_t parent)
{
    struct traced_process *known = process_find(trace, pid), *from;

    if (known)
        return known;
    GROW(trace->process, trace->process_nr + 1, trace->process_alloc);
    known = &trace->process[trace->process_nr++];
    *known = (struct traced_process){.pid = pid};
    from = process_find(trace, parent);
    if (from && from->nr) {
        GROW(known->item, from->nr, known->alloc);
        memcpy(known->item, from->item, from->nr * sizeof(*known->item));
        known->nr = from->nr;
    }
    return known;
}

static struct traced_thread *thread_find(struct trace *trace, pid_t id)
{
    for (size_t i = 0; i < trace->thread_nr; i++)
        if (trace->thread[i].id == id)
            return &trace->thread[i];
    return NULL;
}

/* A number of /proc/ID/status. */
static pid_t status_number(pid_t id, const char *name)
{
    char *path = xasprintf("/proc/%ld/status", (long)id);
    struct buf text = {0};
    char *key = xasprintf("\n%s:", name);
    const char *at = file_read(path, &text, NULL) ? NULL : strstr(buf_str(&text), key);
    long number = at ? strtol(at + strlen(key), NULL, 10) : 0;

    free(key);
    free(path);
    buf_release(&text);
    return (pid_t)number;
}

static struct traced_thread *thread_add(struct trace *trace, pid_t id)
{
    struct traced_thread *known = thread_find(trace, id);
    pid_t process;

    if (known)
        return known;
    process = status_number(id, "Tgid");
    process_add(trace, process, status_number(id, "PPid"));
    GROW(trace->thread, trace->thread_nr + 1, trace->thread_alloc);
    known = &trace->thread[trace->thread_nr++];
    *known = (struct traced_thread){.id = id, .process = process};
    return known;
}

static bool has_threads(const struct trace *trace, pid_t process)
{
    for (size_t i = 0; i < trace->thread_nr; i++)
        if (trace->thread[i].process == process)
            return true;
    return false;
}

static void thread_forget(struct trace *trace, pid_t id)
{
    struct traced_thread *thread = thread_find(trace, id);
    pid_t process = thread ? thread->process : 0;

    if (!thread)
        return;
    *thread = trace->thread[--trace->thread_nr];
    if (has_threads(trace, process))
        return;
    struct traced_process *empty = process_find(trace, process);
    if (empty) {
        breakpoints_forget(empty);
        *empty = trace->process[--trace->process_nr];
    }
}

static void thread_go_on(struct traced_thread *thread)
{
    int signal = thread->signal;

    thread->signal = 0;
    thread->stands = false;
    ptrace(PTRACE_CONT, thread->id, NULL, (void *)(long)signal);
}

/* ---- all of a process ---- */

static bool is_plain_stop(int status)
{
    return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP &&
           WSTOPSIG(status) == SIGTRAP;
}

/*
 * A thread that runs stands at once. One that waits in vfork() does not before its child
 * goes on, which waits for us: it runs none of the program meanwhile, and its stop is
 * taken when it comes. 0 = it does not stand.
 */
static pid_t wait_halted(pid_t id, int *status)
{
    const struct timespec pause = {.tv_nsec = 20000};
    double until = clock_s() + halt_limit_s;
    pid_t got;

    while ((got = waitpid(id, status, __WALL | WNOHANG)) == 0 ||
           (got < 0 && errno == EINTR)) {
        if (clock_s() > until)
            return 0;
        nanosleep(&pause, NULL);
    }
    return got;
}

/* False when the thread is gone. */
static bool halt(struct traced_thread *thread)
{
    int status;
    pid_t got;

    if (ptrace(PTRACE_INTERRUPT, thread->id, NULL, NULL))
        return true; /* it is about to end, and will say so */
    got = wait_halted(thread->id, &status);
    if (got == 0)
        return true;
    if (got != thread->id || !WIFSTOPPED(status))
        return false;
    thread->stands = true;
    thread->has_pending = !is_plain_stop(status);
    thread->pending = status;
    return true;
}

/* All of its process but itself: until each stands; and on again. */
static void threads_halt(struct trace *trace, pid_t process, pid_t but)
{
    for (size_t i = 0; i < trace->thread_nr;) {
        struct traced_thread *thread = &trace->thread[i];

        if (thread->process != process || thread->id == but || thread->stands ||
            halt(thread))
            i++;
        else
            thread_forget(trace, thread->id); /* the last one stands here now */
    }
}

static void threads_resume(struct trace *trace, pid_t process, pid_t but)
{
    for (size_t i = 0; i < trace->thread_nr; i++) {
        struct traced_thread *thread = &trace->thread[i];

        if (thread->process == process && thread->id != but && thread->stands &&
            !thread->has_pending)
            thread_go_on(thread);
    }
}

/* One instruction, with the breakpoint's own in its place. The others stand. */
static void thread_step_over(struct trace *trace, pid_t id, uint64_t address)
{
    struct traced_thread *thread = thread_find(trace, id);
    struct traced_process *process = process_find(trace, thread->process);
    struct breakpoint *breakpoint = breakpoint_at(process, address);
    int status = 0;

    breakpoint_set(trace, process, breakpoint, false);
    for (int tries = 0; tries < 16; tries++) {
        uint64_t pc;

        if (ptrace(PTRACE_SINGLESTEP, id, NULL, NULL) ||
            waitpid(id, &status, __WALL) != id)
            break;
        if (!WIFSTOPPED(status)) {
            thread_forget(trace, id);
            break;
        }
        if (WSTOPSIG(status) != SIGTRAP) /* a signal came in between */
            thread->signal = WSTOPSIG(status);
        if (trace_get_pc(id, &pc) || pc != address)
            break;
    }
    breakpoint_set(trace, process, breakpoint, true);
}

/* ---- trace run ---- */

enum {
    trace_options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                    PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL
};

void trace_outcome_release(struct trace_outcome *outcome)
{
    free(outcome->found_in);
    free(outcome->unreadable);
    strvec_release(&outcome->inlined_at);
    spawn_outcome_release(&outcome->program);
    *outcome = (struct trace_outcome){0};
}

/* ---- the call ---- */

/* Nobody stops any more. */
static void finish(struct trace *trace)
{
    trace->done = true;
    for (size_t i = 0; i < trace->process_nr; i++)
        for (size_t k = 0; k < trace->process[i].nr; k++)
            breakpoint_set(trace, &trace->process[i], &trace->process[i].item[k], false);
}

static int read_frame(void *data, uint64_t address, void *to, size_t bytes)
{
    const struct trace_stop *stop = data;

    return process_read(stop->process, address, to, bytes);
}

/* 1 = the next call is wanted, too. */
static int look(struct trace *trace, const struct traced_thread *thread,
                const struct breakpoint *breakpoint, struct error *err)
{
    struct trace_stop stop = {.trace = trace,
                              .process = thread->process,
                              .thread = thread->id,
                              .file = &trace->file[breakpoint->file]};

    stop.point = &stop.file->points.item[breakpoint->point];
    stop.frame.bias = breakpoint->bias;
    stop.frame.read = read_frame;
    stop.frame.data = &stop;
    if (trace_get_frame(thread->id, &stop.frame))
        return fail(err, STATUS_FAILED, "cannot read the registers of process %ld: %s",
                    (long)thread->id, strerror(errno));
    int status = trace->request->at_call(&stop, trace->request->data, err);
    trace->outcome->reached = status == 0;
    return status;
}

static int on_call(struct trace *trace, pid_t id, uint64_t address, struct error *err)
{
    struct traced_thread *thread = thread_find(trace, id);
    struct traced_process *process = process_find(trace, thread->process);
    struct breakpoint breakpoint = *breakpoint_at(process, address);
    pid_t pid = process->pid;

    process->calls++;
    if (process->calls > trace->outcome->calls)
        trace->outcome->calls = process->calls;
    int next = !trace->request->each && process->calls != trace->request->call;
    threads_halt(trace, pid, id);
    if (!next)
        next = look(trace, thread_find(trace, id), &breakpoint, err);
    if (next < 0)
        return -1;
    if (next > 0)
        thread_step_over(trace, id, address);
    else
        finish(trace);
    threads_resume(trace, pid, id);
    thread = thread_find(trace, id);
    if (thread)
        thread_go_on(thread);
    return 0;
}

/* ---- other breakpoints ---- */

static void on_loader(struct trace *trace, pid_t id, uint64_t address)
{
    struct traced_thread *thread = thread_find(trace, id);
    pid_t pid = thread->process;
    struct breakpoint *breakpoint;

    threads_halt(trace, pid, id);
    breakpoint = breakpoint_at(process_find(trace, pid), address);
    if (breakpoint->kind == BREAKPOINT_START) {
        breakpoint_set(trace, process_find(trace, pid), breakpoint, false);
        breakpoints_find(trace, process_find(trace, pid), true);
    } else {
        breakpoints_find(trace, process_find(trace, pid), false);
        thread_step_over(trace, id, address);
    }
    threads_resume(trace, pid, id);
    thread = thread_find(trace, id);
    if (thread)
        thread_go_on(thread);
}

/* A trap of ours, which the program never sees; else false. */
static bool is_breakpoint(struct trace *trace, const struct traced_thread *thread,
                          uint64_t *address)
{
    struct traced_process *process = process_find(trace, thread->process);

    if (!process || trace_get_pc(thread->id, address))
        return false;
    *address -= trace->arch->breakpoint_moves;
    return breakpoint_at(process, *address) != NULL;
}

static int on_trap(struct trace *trace, struct traced_thread *thread, struct error *err)
{
    struct breakpoint *breakpoint;
    uint64_t address;

    if (!is_breakpoint(trace, thread, &address)) {
        thread->signal = SIGTRAP;
        thread_go_on(thread);
        return 0;
    }
    breakpoint = breakpoint_at(process_find(trace, thread->process), address);
    trace_set_pc(thread->id, address);
    if (!breakpoint->is_set || trace->done) {
        thread_go_on(thread);
    } else if (breakpoint->kind == BREAKPOINT_CALL) {
        return on_call(trace, thread->id, address, err);
    } else {
        on_loader(trace, thread->id, address);
    }
    return 0;
}

/* ---- events ---- */

static void on_exec(struct trace *trace, pid_t id)
{
    struct traced_process *process;

    for (size_t i = 0; i < trace->thread_nr;)
        if (trace->thread[i].process == id && trace->thread[i].id != id)
            trace->thread[i] = trace->thread[--trace->thread_nr];
        else
            i++;
    trace->outcome->programs++;
    process = process_find(trace, thread_add(trace, id)->process);
    process->calls = 0;
    breakpoints_forget(process);
    if (!trace->done)
        breakpoints_begin(trace, process);
}

static void on_new(struct trace *trace, const struct traced_thread *thread)
{
    unsigned long id = 0;
    pid_t parent = thread->process;

    if (ptrace(PTRACE_GETEVENTMSG, thread->id, NULL, &id) == 0 && id)
        process_add(trace, (pid_t)id, parent);
}

static int on_stop(struct trace *trace, struct traced_thread *thread, int status,
                   struct error *err)
{
    int number = WSTOPSIG(status), event = status >> 16;
    pid_t id = thread->id;

    if (event == PTRACE_EVENT_STOP && number != SIGTRAP) { /* Ctrl-Z and its kin */
        thread->stands = false;
        ptrace(PTRACE_LISTEN, id, NULL, NULL);
        return 0;
    }
    if (!event && number == SIGTRAP)
        return on_trap(trace, thread, err);
    if (event == PTRACE_EVENT_EXEC)
        on_exec(trace, id);
    else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK)
        on_new(trace, thread);
    else if (!event)
        thread->signal = number;
    thread = thread_find(trace, id);
    if (thread)
        thread_go_on(thread);
    return 0;
}

static int handle(struct trace *trace, pid_t id, int status, struct error *err)
{
    struct traced_thread *thread;

    if (!WIFSTOPPED(status)) {
        thread_forget(trace, id);
        return 0;
    }
    thread = thread_add(trace, id);
    thread->stands = true;
    thread->has_pending = false;
    return on_stop(trace, thread, status, err);
}

/* ---- the loop ---- */

static struct traced_thread *find_pending(struct trace *trace)
{
    for (size_t i = 0; i < trace->thread_nr; i++)
        if (trace->thread[i].has_pending)
            return &trace->thread[i];
    return NULL;
}

static bool has_ended(const siginfo_t *info)
{
    return info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
           info->si_code == CLD_DUMPED;
}

/* The end of the program itself is left to whoever waits for it. 1 = it has come. */
static int next_event(struct trace *trace, struct error *err)
{
    struct traced_thread *pending = find_pending(trace);
    siginfo_t info = {0};
    int status;

    if (pending)
        return handle(trace, pending->id, pending->pending, err);
    if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL))
        return errno == EINTR ? 0 : 1;
    if (info.si_pid == trace->root && has_ended(&info))
        return 1;
    if (waitpid(info.si_pid, &status, __WALL) != info.si_pid)
        return 0;
    return handle(trace, info.si_pid, status, err);
}

static int follow(struct trace *trace, struct error *err)
{
    for (;;) {
        int ended = next_event(trace, err);

        if (ended || spawn_interrupted())
            return ended < 0 ? -1 : 0;
        if (trace->outcome->reached && trace->request->ends)
            return 0;
    }
}

/* Its threads wait for their tracer even when they are dead, and the end of the first one
 * is not told before those of the others were taken. */
static void end_application(struct trace *trace)
{
    trace->done = true;
    kill(-trace->root, SIGKILL);
    while (next_event(trace, NULL) == 0)
        ;
}

/* ---- from beginning to end ---- */

static int seize(struct trace *trace, struct error *err)
{
    if (ptrace(PTRACE_SEIZE, trace->root, NULL, (void *)(long)trace_options))
        return fail(
            err, STATUS_MISSING,
            "the application cannot be traced: %s; ptrace must be allowed: sysctl "
            "kernel.yama.ptrace_scope=1 (0 to 2 do), in a container "
            "--cap-add=SYS_PTRACE",
            strerror(errno));
    thread_add(trace, trace->root);
    kill(trace->root, SIGCONT);
    return 0;
}

static void release(struct trace *trace)
{
    for (size_t i = 0; i < trace->file_nr; i++) {
        entry_points_release(&trace->file[i].points);
        entry_file_close(trace->file[i].file);
        free(trace->file[i].path);
    }
    for (size_t i = 0; i < trace->process_nr; i++)
        breakpoints_forget(&trace->process[i]);
    free(trace->file);
    free(trace->process);
    free(trace->thread);
}

static int check_program(const char *name, struct error *err)
{
    char *file = path_of_program(name);
    bool found = file && access(file, X_OK) == 0;

    free(file);
    return found ? 0
                 : fail(err, STATUS_INPUT, "there is no program '%s' that could be run",
                        name);
}

int trace_call(const struct trace_request *request, struct trace_outcome *outcome,
               struct error *err)
{
    struct trace trace = {
        .request = request, .outcome = outcome, .arch = trace_arch_here()};
    struct spawn_child *child;

    *outcome = (struct trace_outcome){0};
    if (!trace.arch)
        return fail(err, STATUS_MISSING,
                    "calls are captured on x86-64 and 64-bit Arm only");
    if (check_program(request->argv[0], err) ||
        spawn_start(&(struct spawn_request){.argv = request->argv,
                                            .attached = true,
                                            .out_to_err = request->out_to_err,
                                            .stopped = true},
                    &child, err))
        return -1;
    trace.root = spawn_pid(child);
    int status = trace.root ? seize(&trace, err) : 0;
    if (!status && trace.root)
        status = follow(&trace, err);
    if (trace.root &&
        (status || spawn_interrupted() || (outcome->reached && request->ends)))
        end_application(&trace);
    if (spawn_wait_all(&child, 1, false, &outcome->program, err))
        status = -1;
    release(&trace);
    return status;
}

/* ---- what can be asked of a stop ---- */

const char *trace_stop_program(const struct trace_stop *stop)
{
    return stop->file->path;
}

const char *trace_stop_symbol(const struct trace_stop *stop)
{
    return stop->point->symbol;
}

const char *trace_stop_source(const struct trace_stop *stop)
{
    return stop->file->points.source;
}

int trace_stop_object(struct trace_stop *stop, const struct trace_parameter *passed,
                      size_t passed_nr, const struct trace_variable *variable,
                      struct trace_object *object, struct error *err)
{
    struct entry_place *place = xcalloc(passed_nr + 1, sizeof(*place));
    struct trace_passed *kinds = xcalloc(passed_nr + 1, sizeof(*kinds));
    struct entry_path path = {variable->root, variable->path, variable->param};
    struct entry_object found;

    for (size_t i = 0; i < passed_nr; i++)
        kinds[i] = (struct trace_passed){passed[i].kind, passed[i].bytes};
    trace_places(&stop->frame, kinds, passed_nr, place);
    stop->frame.passed = place;
    stop->frame.passed_nr = passed_nr;
    int status = entry_find_object(stop->file->file, stop->point, &stop->frame, &path,
                                   &found, err);
    if (!status) {
        *object = (struct trace_object){
            .in_memory = found.in_memory, .address = found.address, .size = found.size};
        memcpy(object->bytes, found.bytes, sizeof(object->bytes));
        for (size_t bytes = 16; found.in_memory && bytes > 0; bytes /= 2)
            if (process_read(stop->process, found.address, object->bytes, bytes) == 0)
                break;
    }
    stop->frame.passed = NULL;
    free(place);
    free(kinds);
    return status;
}
