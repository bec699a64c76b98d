#define _GNU_SOURCE /* sched_setaffinity, SYS_tgkill's syscall() */
#include "core/run/run_step.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base.h"
#include "core/run/run_parts.h"

/* Reads the stop and leaves an end to whoever waits for the child. 0 = no stop. */
static int wait_stop(pid_t pid, int more)
{
    siginfo_t info = {0};

    while (waitid(P_PID, (id_t)pid, &info, WSTOPPED | more) != 0)
        if (errno != EINTR)
            return -1;
    return info.si_pid == pid ? info.si_status : 0;
}

/* A stop that is the tracer's own business, or a signal to hand on. */
static bool is_event(int status)
{
    return status >> 8 != 0;
}

static void set_options(pid_t pid)
{
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(long)PTRACE_O_EXITKILL);
}

enum stepping stepping_begin(pid_t pid, double limit_s)
{
    const struct timespec pause = {.tv_nsec = 200000};
    double until = clock_s() + limit_s;

    while (clock_s() < until) {
        int status = wait_stop(pid, WNOHANG);

        if (status < 0)
            return STEPPING_GONE;
        if (status == SIGSTOP) {
            set_options(pid);
            return STEPPING_MARK;
        }
        if (status)
            ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(is_event(status) ? 0 : status));
        else
            nanosleep(&pause, NULL);
    }
    return STEPPING_GONE;
}

enum stepping stepping_next(pid_t pid)
{
    long signal = 0;

    for (;;) {
        int status;

        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)signal) != 0)
            return STEPPING_GONE;
        status = wait_stop(pid, 0);
        if (status < 0)
            return STEPPING_GONE;
        if (status == SIGTRAP)
            return STEPPING_STEP;
        if (status == SIGSTOP)
            return STEPPING_MARK;
        signal = is_event(status) ? 0 : status;
    }
}

void stepping_code(pid_t pid, uint64_t pc, uint8_t code[DECODE_BYTES])
{
    for (size_t at = 0; at < DECODE_BYTES; at += sizeof(long)) {
        long word;

        errno = 0;
        word = ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)(pc + at), NULL);
        if (errno)
            word = 0;
        memcpy(code + at, &word, sizeof(word));
    }
}

/* ---- running on by itself ---- */

/* No kernel waits for it, and who does not catch it does not notice; ptrace reports it
 * all the same. To the first thread alone: no other is traced. */
static void ask_to_stop(pid_t pid)
{
    syscall(SYS_tgkill, pid, pid, SIGURG);
}

/* What it has run so far; the wall clock where that cannot be told. */
static double ran_s(pid_t pid)
{
    struct timespec time;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
        return clock_s();
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* `seconds` at most, but not so long that an end would be seen late. */
static void pause_for(double seconds)
{
    const double longest_s = 1e-3, shortest_s = 2e-5;
    double length = seconds > longest_s    ? longest_s
                    : seconds < shortest_s ? shortest_s
                                           : seconds;

    nanosleep(&(struct timespec){.tv_nsec = (long)(length * 1e9)}, NULL);
}

enum stepping stepping_skip(pid_t pid, double seconds, double until_s)
{
    double began = ran_s(pid);
    bool asked = false;

    if (ptrace(PTRACE_CONT, pid, NULL, NULL) != 0)
        return STEPPING_GONE;
    while (clock_s() < until_s && !spawn_interrupted()) {
        double left = seconds > 0 ? seconds - (ran_s(pid) - began) : 1;
        int status = wait_stop(pid, WNOHANG);

        if (status < 0)
            return STEPPING_GONE;
        if (status == SIGSTOP)
            return STEPPING_MARK;
        if (status == SIGURG && asked)
            return STEPPING_STEP;
        if (status) {
            if (ptrace(PTRACE_CONT, pid, NULL,
                       (void *)(long)(is_event(status) ? 0 : status)) != 0)
                return STEPPING_GONE;
        } else if (left <= 0 && !asked) {
            asked = true;
            ask_to_stop(pid);
        } else {
            pause_for(left);
        }
    }
    return STEPPING_GONE;
}

/* ---- the child ---- */

/* Where both run on one processor a step needs no wake-up across the machine: four times
 * as many a second on a guest. */
static bool stay_here(const struct run_opts *opts, cpu_set_t *before)
{
    cpu_set_t one;
    int cpu = opts->cpu ? opts->cpu[0] : sched_getcpu();

    if (cpu < 0 || sched_getaffinity(0, sizeof(*before), before) != 0)
        return false;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one) == 0;
}

/* The program's own words say why, if it has any. */
static void blame(const struct spawn_outcome *end, struct error *err)
{
    const char *reported = buf_str(&end->err);
    size_t length = strcspn(reported, "\n");

    if (err && length && end->end == SPAWN_EXITED)
        fail(err, STATUS_FAILED, "the call cannot be stepped through: %.*s", (int)length,
             reported);
}

static int start_stepped(const struct run_program *program, const struct run_opts *opts,
                         const char *out, struct spawn_child **child, struct error *err)
{
    struct strvec argv = {0}, env = {0};
    int result;

    launch_push_common(&argv, program, opts, 0);
    launch_push_environment(&env, program, opts, 0);
    strvec_push(&env, "LD_BIND_NOW=1"); /* no names are looked up in the first call */
    strvec_push(&argv, "--stepped");
    strvec_push(&argv, "--out");
    strvec_push(&argv, out);
    result = spawn_start(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                                 .env_extra = (const char *const *)env.v},
                         child, err);
    strvec_release(&env);
    strvec_release(&argv);
    return result;
}

static int follow_child(const struct run_program *program, const struct run_opts *opts,
                        const char *out, stepping_follow *follow, void *data,
                        struct error *err)
{
    struct spawn_outcome end = {0};
    struct spawn_child *child = NULL;
    int result;

    if (start_stepped(program, opts, out, &child, err))
        return -1;
    enum account before = account_switch(ACCOUNT_TRACING);
    pid_t pid = spawn_pid(child);
    result = 0;
    if (pid > 0) {
        result = follow(data, pid, err);
        kill(pid, SIGKILL);
    }
    spawn_wait_all(&child, 1, false, &end, NULL);
    account_switch(before);
    if (result)
        blame(&end, err);
    else
        result = launch_check_started(program, &end, err);
    spawn_outcome_release(&end);
    return result;
}

int stepping_run(const struct run_program *program, const struct run_opts *opts,
                 const char *out, stepping_follow *follow, void *data, struct error *err)
{
    cpu_set_t before;
    bool stays = stay_here(opts, &before);
    int result = follow_child(program, opts, out, follow, data, err);

    if (stays)
        sched_setaffinity(0, sizeof(before), &before);
    return result;
}
