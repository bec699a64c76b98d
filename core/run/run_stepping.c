#define _GNU_SOURCE /* waitid's WSTOPPED with ptrace, struct user */
#include "core/run/run_stepping.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "core/base.h"

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

bool stepping_pc(pid_t pid, uint64_t *pc)
{
#if defined(__x86_64__)
    long value;

    errno = 0;
    value = ptrace(PTRACE_PEEKUSER, pid, (void *)offsetof(struct user, regs.rip), NULL);
    *pc = (uint64_t)value;
    return errno == 0;
#elif defined(__aarch64__)
    struct user_regs_struct regs;
    struct iovec into = {&regs, sizeof(regs)};

    if (ptrace(PTRACE_GETREGSET, pid, (void *)(long)NT_PRSTATUS, &into) != 0)
        return false;
    *pc = regs.pc;
    return true;
#elif defined(__powerpc64__)
    const long next_instruction = 32 * 8; /* PT_NIP, in words */
    long value;

    errno = 0;
    value = ptrace(PTRACE_PEEKUSER, pid, (void *)next_instruction, NULL);
    *pc = (uint64_t)value;
    return errno == 0;
#else
    (void)pid;
    (void)pc;
    return false;
#endif
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
