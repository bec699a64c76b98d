#define _GNU_SOURCE    /* pipe2, posix_spawn_file_actions_addchdir_np and                \
                          _addtcsetpgrp_np, ppoll, prlimit, syscall, wait4 */
#include "core/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/process/cleanup.h"
#include "core/process/orphans.h"
#include "core/process/progress.h"
#include "core/process/term.h"

enum { SPAWN_STREAMS = 2 }; /* output and errors */

/* ---- exec ---- */

extern char **environ;

static bool is_overridden(const char *entry, const char *const *extra)
{
    size_t name = strcspn(entry, "=") + 1;

    if (strncmp(entry, ORPHANS_VARIABLE "=", name) == 0)
        return true;
    for (; extra && *extra; extra++)
        if (strncmp(entry, *extra, name) == 0)
            return true;
    return false;
}

/* Who started us may look for what we leave behind: its mark goes on. */
static void make_environment(struct strvec *list, const char *const *extra,
                             const char *mark)
{
    const char *outer = getenv(ORPHANS_VARIABLE);

    strvec_pushf(list, ORPHANS_VARIABLE "=%s%s", outer ? outer : "", mark);
    for (char **entry = environ; *entry; entry++)
        if (!is_overridden(*entry, extra))
            strvec_push(list, *entry);
    for (; extra && *extra; extra++)
        strvec_push(list, *extra);
    GROW(list->v, list->nr + 1, list->alloc);
    list->v[list->nr] = NULL;
}

/* A child starts with no signal blocked or ignored and as the leader of its own group. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    return posix_spawnattr_setsigmask(attributes, &none) ||
           posix_spawnattr_setsigdefault(attributes, &all) ||
           posix_spawnattr_setpgroup(attributes, 0) ||
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETPGROUP);
}

static int set_streams(posix_spawn_file_actions_t *actions,
                       const int write_end[SPAWN_STREAMS])
{
    return posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0) ||
           posix_spawn_file_actions_adddup2(actions, write_end[0], 1) ||
           posix_spawn_file_actions_adddup2(actions, write_end[1], 2);
}

/* We are what a shell runs in the foreground of the terminal on standard input. */
static bool has_terminal(void)
{
    return isatty(0) && tcgetpgrp(0) == getpgrp();
}

static int attach(posix_spawn_file_actions_t *actions, bool out_to_err)
{
    if (out_to_err && posix_spawn_file_actions_adddup2(actions, 2, 1))
        return -1;
    return has_terminal() ? posix_spawn_file_actions_addtcsetpgrp_np(actions, 0) : 0;
}

/* From the background only who blocks SIGTTOU may do that. */
static void spawn_take_terminal_back(void)
{
    sigset_t output, old;

    if (!isatty(0) || tcgetpgrp(0) == getpgrp())
        return;
    sigemptyset(&output);
    sigaddset(&output, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &output, &old);
    tcsetpgrp(0, getpgrp());
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static int set_actions(posix_spawn_file_actions_t *actions,
                       const struct spawn_request *request,
                       const int write_end[SPAWN_STREAMS])
{
    if (request->attached ? attach(actions, request->out_to_err)
                          : set_streams(actions, write_end))
        return -1;
    for (int i = 0; i < 2; i++) /* onto itself: takes close-on-exec away in the child */
        if (request->pass_fd[i] > 0 &&
            posix_spawn_file_actions_adddup2(actions, request->pass_fd[i],
                                             request->pass_fd[i]))
            return -1;
    return request->dir ? posix_spawn_file_actions_addchdir_np(actions, request->dir) : 0;
}

/* Returns 0 or an errno. */
static int exec_with(pid_t *pid, const struct spawn_request *request,
                     const int write_end[SPAWN_STREAMS], char *const *environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int result = ENOMEM;

    if (posix_spawn_file_actions_init(&actions))
        return ENOMEM;
    if (posix_spawnattr_init(&attributes))
        goto out_actions;
    if (set_attributes(&attributes) == 0 &&
        set_actions(&actions, request, write_end) == 0)
        result = posix_spawnp(pid, request->argv[0], &actions, &attributes,
                              (char *const *)(uintptr_t)request->argv, environment);
    posix_spawnattr_destroy(&attributes);
out_actions:
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

/* `write_end`: where its streams go, unless it is attached; `mark`: of orphans.h. Returns
 * 0 or an errno. */
static int spawn_exec(pid_t *pid, const struct spawn_request *request,
                      const int write_end[SPAWN_STREAMS], const char *mark)
{
    struct strvec environment = {0};

    make_environment(&environment, request->env_extra, mark);
    int cause = exec_with(pid, request, write_end, environment.v);
    strvec_release(&environment);
    return cause;
}

/* ---- spawn ---- */

enum { stream_nr = SPAWN_STREAMS, default_limit = 1 << 20 };

/* Between SIGTERM and SIGKILL. */
static const double grace_s = 0.5;
/* For a pipe that somebody still fills when the child has ended. */
static const double drain_s = 0.2;
/* Bounds the delay of a signal that another thread took. */
static const double poll_with_fd_s = 0.1;
/* Where the kernel has no process descriptors, ask this often. */
static const double poll_blind_s = 0.002;

struct spawn_child {
    pid_t pid; /* 0 if not started */
    int slot;  /* of its group in the cleanup table */
    char mark[orphan_mark_max];
    int process_fd;
    int stream[stream_nr]; /* read ends, -1 when closed */
    size_t output_limit;
    double started, deadline, kill_at; /* clock_s(); infinite if none */
    double grace_s;
    enum spawn_end cause; /* what we stopped it for, SPAWN_EXITED if we did not */
    bool ended, interruptible, attached;
    struct spawn_outcome outcome;
};

const char *spawn_end_word(enum spawn_end end)
{
    static const char *const word[] = {
        [SPAWN_EXITED] = "exited",           [SPAWN_SIGNALLED] = "signalled",
        [SPAWN_TIMED_OUT] = "timed out",     [SPAWN_INTERRUPTED] = "interrupted",
        [SPAWN_NOT_STARTED] = "not started",
    };

    return word[end];
}

char *spawn_end_phrase(enum spawn_end end, int code)
{
    switch (end) {
    case SPAWN_EXITED:
        return code ? xasprintf("ended with status %d", code) : NULL;
    case SPAWN_SIGNALLED:
        return xasprintf("was ended by signal %d (%s)", code, strsignal(code));
    case SPAWN_NOT_STARTED:
        return xasprintf("could not be started: %s", strerror(code));
    case SPAWN_TIMED_OUT:
    case SPAWN_INTERRUPTED:
        break;
    }
    return NULL;
}

void spawn_outcome_release(struct spawn_outcome *outcome)
{
    buf_release(&outcome->out);
    buf_release(&outcome->err);
    *outcome = (struct spawn_outcome){0};
}

pid_t spawn_pid(const struct spawn_child *child)
{
    return child->pid;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* From outside: posix_spawn knows no limits. What it allocates in the first moments is
 * not refused, but counts. */
static void limit_memory(pid_t pid, double bytes)
{
    struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = (rlim_t)bytes};

    if (bytes > 0)
        prlimit(pid, RLIMIT_AS, &limit, NULL);
}

/* Starts the program and enters its group in the cleanup table, with no signal handler
 * able to come in between. */
static int start(struct spawn_child *child, const struct spawn_request *request,
                 const int write_end[stream_nr], struct error *err)
{
    sigset_t all, old;
    pid_t pid = 0;
    int cause, result = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    cause = spawn_exec(&pid, request, write_end, child->mark);
    if (cause) {
        child->outcome.end = SPAWN_NOT_STARTED;
        child->outcome.code = cause;
        child->ended = true;
    } else {
        child->pid = pid;
        limit_memory(pid, request->memory_limit_bytes);
        child->slot = cleanup_add_group(pid, err);
        result = child->slot < 0 ? -1 : 0;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return result;
}

static int open_pipes(struct spawn_child *child, int write_end[stream_nr],
                      struct error *err)
{
    for (int i = 0; i < stream_nr; i++) {
        int end[2];

        if (pipe2(end, O_CLOEXEC))
            return fail(err, STATUS_FAILED, "cannot make a pipe: %s", strerror(errno));
        child->stream[i] = end[0];
        write_end[i] = end[1];
        if (fcntl(end[0], F_SETFL, O_NONBLOCK))
            return fail(err, STATUS_FAILED, "cannot set up a pipe: %s", strerror(errno));
    }
    return 0;
}

/* -1 where the kernel has no process descriptors; then we ask at short intervals. */
static int open_process(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself */
#else
    (void)pid;
    return -1;
#endif
}

static void child_free(struct spawn_child *child)
{
    if (!child)
        return;
    for (int i = 0; i < stream_nr; i++)
        close_fd(&child->stream[i]);
    close_fd(&child->process_fd);
    spawn_outcome_release(&child->outcome);
    free(child);
}

static struct spawn_child *child_new(const struct spawn_request *request)
{
    struct spawn_child *child = xcalloc(1, sizeof(*child));

    child->slot = child->process_fd = child->stream[0] = child->stream[1] = -1;
    orphans_mark(child->mark);
    child->output_limit = request->output_limit ? request->output_limit : default_limit;
    child->started = clock_s();
    child->grace_s = fmax(request->grace_s, grace_s);
    child->deadline =
        request->timeout_s > 0 ? child->started + request->timeout_s : INFINITY;
    child->kill_at = INFINITY;
    child->cause = SPAWN_EXITED;
    child->interruptible = !request->after_interrupt;
    child->attached = request->attached;
    return child;
}

int spawn_start(const struct spawn_request *request, struct spawn_child **out,
                struct error *err)
{
    struct spawn_child *child = child_new(request);
    int write_end[stream_nr] = {-1, -1};
    int result = -1;

    *out = NULL;
    cleanup_install();
    if (child->interruptible && spawn_interrupted()) {
        child->outcome.end = SPAWN_INTERRUPTED;
        child->outcome.code = spawn_interrupted();
        child->ended = true;
        result = 0;
        goto out;
    }
    if ((!request->attached && open_pipes(child, write_end, err)) ||
        start(child, request, write_end, err))
        goto out;
    if (child->pid)
        child->process_fd = open_process(child->pid);
    result = 0;
out:
    for (int i = 0; i < stream_nr; i++)
        close_fd(&write_end[i]);
    if (result && child->pid) {
        kill(-child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
        orphans_end(child->mark, 0);
    }
    if (result)
        child_free(child);
    else
        *out = child;
    return result;
}

static void keep(struct spawn_child *child, int stream, const char *bytes, size_t length)
{
    struct buf *buf = stream == 0 ? &child->outcome.out : &child->outcome.err;
    size_t room = child->output_limit - buf->length;

    buf_add_n(buf, bytes, length < room ? length : room);
}

/* Reads what is there until the pipe is empty, closed, or the clock passes `until`. */
static void drain(struct spawn_child *child, double until)
{
    char block[65536];

    for (int i = 0; i < stream_nr; i++) {
        while (child->stream[i] >= 0) {
            ssize_t got = read(child->stream[i], block, sizeof(block));

            if (got > 0)
                keep(child, i, block, (size_t)got);
            else if (got == 0 || (errno != EAGAIN && errno != EINTR))
                close_fd(&child->stream[i]);
            else if (errno == EAGAIN)
                break;
            if (clock_s() > until)
                break;
        }
    }
}

static void stop(struct spawn_child *child, enum spawn_end cause)
{
    if (child->ended || child->cause != SPAWN_EXITED)
        return;
    child->cause = cause;
    child->kill_at = clock_s() + child->grace_s;
    kill(-child->pid, SIGTERM);
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void record_usage(struct spawn_outcome *outcome, const struct rusage *usage)
{
    outcome->user_s = seconds(usage->ru_utime);
    outcome->system_s = seconds(usage->ru_stime);
    outcome->max_rss_kib = usage->ru_maxrss;
    outcome->involuntary_switches = usage->ru_nivcsw;
    outcome->major_faults = usage->ru_majflt;
    outcome->minor_faults = usage->ru_minflt;
}

static void record_end(struct spawn_child *child, int status)
{
    struct spawn_outcome *outcome = &child->outcome;

    if (child->cause == SPAWN_EXITED && child->interruptible && spawn_interrupted())
        child->cause = SPAWN_INTERRUPTED;
    outcome->end = child->cause;
    if (child->cause == SPAWN_EXITED && WIFSIGNALED(status))
        outcome->end = SPAWN_SIGNALLED;
    outcome->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (outcome->end == SPAWN_INTERRUPTED)
        outcome->code = spawn_interrupted();
}

/*
 * The child has ended and is not reaped yet: its process number, and so its group's, is
 * still ours. Whatever it left behind, in the group or elsewhere, goes now.
 */
static void reap(struct spawn_child *child)
{
    struct rusage usage = {0};
    int status = 0;

    child->outcome.wall_s = clock_s() - child->started;
    child->outcome.left_behind = orphans_end(child->mark, child->pid);
    cleanup_forget_group(child->slot);
    while (wait4(child->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    if (child->attached)
        spawn_take_terminal_back();
    record_end(child, status);
    record_usage(&child->outcome, &usage);
    child->ended = true;
    drain(child, clock_s() + drain_s);
}

static bool has_exited(const struct spawn_child *child)
{
    siginfo_t info = {0};

    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD;
    return info.si_pid == child->pid;
}

/* Of all of them, clock_s(). */
static double end_at_s = INFINITY;

double spawn_end_at(double moment_s)
{
    double before_s = end_at_s;

    end_at_s = moment_s > 0 ? moment_s : INFINITY;
    return isfinite(before_s) ? before_s : 0;
}

double spawn_left_s(void)
{
    return fmax(end_at_s - clock_s(), 0);
}

bool spawn_is_late(void)
{
    return clock_s() >= end_at_s;
}

static double deadline_of(const struct spawn_child *child)
{
    return child->interruptible ? fmin(child->deadline, end_at_s) : child->deadline;
}

/* One look at one child. */
static void advance(struct spawn_child *child)
{
    double now = clock_s();

    if (child->ended)
        return;
    drain(child, now + drain_s);
    if (has_exited(child)) {
        reap(child);
        return;
    }
    if (child->interruptible && spawn_interrupted())
        stop(child, SPAWN_INTERRUPTED);
    if (now >= deadline_of(child))
        stop(child, SPAWN_TIMED_OUT);
    if (now >= child->kill_at)
        kill(-child->pid, SIGKILL);
}

static double wait_time(const struct spawn_child *child, double now)
{
    double wait = child->process_fd >= 0 ? poll_with_fd_s : poll_blind_s;

    wait = fmin(wait, deadline_of(child) - now);
    wait = fmin(wait, child->kill_at - now);
    /* The two are only a reason to look early once; later the kill has been sent. */
    return wait > 0 ? wait : poll_blind_s;
}

/* `more`: further descriptors to be read from, -1 = none. */
static void wait_for_news(struct spawn_child *const *child, size_t nr, const int *more,
                          size_t more_nr, double longest)
{
    struct pollfd *fd = xcalloc(nr * (stream_nr + 1) + more_nr, sizeof(*fd));
    double now = clock_s(), wait = fmax(fmin(longest, poll_with_fd_s), 0);
    struct timespec limit;
    nfds_t fd_nr = 0;

    for (size_t i = 0; i < more_nr; i++)
        fd[fd_nr++] = (struct pollfd){.fd = more[i], .events = POLLIN};

    for (size_t i = 0; i < nr; i++) {
        if (child[i]->ended)
            continue;
        wait = fmin(wait, wait_time(child[i], now));
        for (int k = 0; k < stream_nr; k++)
            fd[fd_nr++] = (struct pollfd){.fd = child[i]->stream[k], .events = POLLIN};
        fd[fd_nr++] = (struct pollfd){.fd = child[i]->process_fd, .events = POLLIN};
    }
    limit =
        (struct timespec){.tv_sec = (time_t)wait, .tv_nsec = (long)(fmod(wait, 1) * 1e9)};
    ppoll(fd, fd_nr, &limit, NULL);
    progress_tick();
    free(fd);
}

static void kill_others(struct spawn_child *const *child, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (!child[i]->ended)
            kill(-child[i]->pid, SIGKILL);
}

static bool is_bad(const struct spawn_child *child)
{
    return child->ended &&
           (child->outcome.end != SPAWN_EXITED || child->outcome.code != 0);
}

/* Returns how many still run. */
static size_t advance_all(struct spawn_child *const *child, size_t nr, bool all_or_none)
{
    size_t running = 0;

    for (size_t i = 0; i < nr; i++) {
        advance(child[i]);
        if (all_or_none && is_bad(child[i]))
            kill_others(child, nr);
        running += !child[i]->ended;
    }
    return running;
}

size_t spawn_wait_one(struct spawn_child *const *child, size_t nr)
{
    for (;; wait_for_news(child, nr, NULL, 0, INFINITY)) {
        advance_all(child, nr, false);
        for (size_t i = 0; i < nr; i++)
            if (child[i]->ended)
                return i;
    }
}

bool spawn_wait_for(struct spawn_child *child, double seconds)
{
    double until = clock_s() + seconds, left;

    while (advance_all(&child, 1, false) > 0 && (left = until - clock_s()) > 0)
        wait_for_news(&child, 1, NULL, 0, left);
    return child->ended;
}

bool spawn_wait_to_read(struct spawn_child *const *child, size_t nr, const int *fd,
                        size_t fd_nr, double seconds)
{
    if (advance_all(child, nr, false) == nr)
        wait_for_news(child, nr, fd, fd_nr, seconds);
    return advance_all(child, nr, false) < nr;
}

int spawn_wait_all(struct spawn_child **child, size_t nr, bool all_or_none,
                   struct spawn_outcome *outcome, struct error *err)
{
    (void)err;
    while (advance_all(child, nr, all_or_none) > 0)
        wait_for_news(child, nr, NULL, 0, INFINITY);
    for (size_t i = 0; i < nr; i++) {
        outcome[i] = child[i]->outcome;
        child[i]->outcome = (struct spawn_outcome){0};
        child_free(child[i]);
        child[i] = NULL;
    }
    return 0;
}

int spawn_run(const struct spawn_request *request, struct spawn_outcome *outcome,
              struct error *err)
{
    struct spawn_child *child;

    *outcome = (struct spawn_outcome){0};
    enum account now = account_switch(ACCOUNT_OTHER);
    account_switch(request->account == ACCOUNT_OTHER ? now : request->account);
    int result = spawn_start(request, &child, err);
    if (result == 0)
        result = spawn_wait_all(&child, 1, false, outcome, err);
    account_switch(now);
    return result;
}
