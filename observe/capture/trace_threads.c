/* Processes and threads under the tracer: known, halted, let go. */
#define _GNU_SOURCE /* __WALL, PTRACE_SEIZE's requests */
#include "observe/capture/trace_state.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

/* Far above what a busy machine keeps a thread waiting. */
static const double halt_limit_s = 1;

struct traced_process *process_find(struct trace *trace, pid_t pid)
{
    for (size_t i = 0; i < trace->process_nr; i++)
        if (trace->process[i].pid == pid)
            return &trace->process[i];
    return NULL;
}

/* A forked process has its parent's memory, and so its breakpoints. */
struct traced_process *process_add(struct trace *trace, pid_t pid, pid_t parent)
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

struct traced_thread *thread_find(struct trace *trace, pid_t id)
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

struct traced_thread *thread_add(struct trace *trace, pid_t id)
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

void thread_forget(struct trace *trace, pid_t id)
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

void thread_go_on(struct traced_thread *thread)
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

void threads_halt(struct trace *trace, pid_t process, pid_t but)
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

void threads_resume(struct trace *trace, pid_t process, pid_t but)
{
    for (size_t i = 0; i < trace->thread_nr; i++) {
        struct traced_thread *thread = &trace->thread[i];

        if (thread->process == process && thread->id != but && thread->stands &&
            !thread->has_pending)
            thread_go_on(thread);
    }
}

void thread_step_over(struct trace *trace, pid_t id, uint64_t address)
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
