#define _GNU_SOURCE /* pipe2 */
#include "core/run/run_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The other thread: waits for the copies, then closes its end of `over`. */
struct waiting {
    struct spawn_child **child;
    size_t nr;
    struct spawn_outcome *outcome;
    int over[2];
    int result;
    struct error error;
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Both ends above the standard streams: 0 means none to spawn, 1 and 2 are the child's
 * own. */
static int open_pipe(int end[2], struct error *err)
{
    int made[2], cause;

    if (pipe2(made, O_CLOEXEC))
        return fail(err, STATUS_FAILED, "cannot make a pipe: %s", strerror(errno));
    for (int i = 0; i < 2; i++)
        end[i] = fcntl(made[i], F_DUPFD_CLOEXEC, 3);
    cause = errno;
    close(made[0]);
    close(made[1]);
    if (end[0] < 0 || end[1] < 0)
        return fail(err, STATUS_FAILED, "cannot make a pipe: %s", strerror(cause));
    return 0;
}

int gate_open(struct gate *gate, size_t copies, struct error *err)
{
    gate->pipes = xcalloc(copies, sizeof(*gate->pipes));
    gate->nr = copies;
    for (size_t i = 0; i < copies; i++)
        gate->pipes[i] = (struct gate_pipes){{-1, -1}, {-1, -1}};
    for (size_t i = 0; i < copies; i++)
        if (open_pipe(gate->pipes[i].to_copy, err) ||
            open_pipe(gate->pipes[i].from_copy, err))
            return -1;
    return 0;
}

void gate_keep_ours(struct gate *gate)
{
    for (size_t i = 0; i < gate->nr; i++)
        close_end(&gate->pipes[i].from_copy[1]);
}

void gate_release(struct gate *gate)
{
    for (size_t i = 0; i < gate->nr; i++) {
        for (int k = 0; k < 2; k++) {
            close_end(&gate->pipes[i].to_copy[k]);
            close_end(&gate->pipes[i].from_copy[k]);
        }
    }
    free(gate->pipes);
    *gate = (struct gate){0};
}

/* Returns whether the copy has said `letter`; others are not for us. */
static bool has_said(int fd, char letter)
{
    char got;

    return read(fd, &got, 1) == 1 && got == letter;
}

/* Waits until every copy has said `letter`. False if the copies have ended. */
static bool all_arrive(const struct gate *gate, char letter, int over)
{
    struct pollfd *fd = xcalloc(gate->nr + 1, sizeof(*fd));
    size_t missing = gate->nr;

    for (size_t i = 0; i < gate->nr; i++)
        fd[i] = (struct pollfd){.fd = gate->pipes[i].from_copy[0], .events = POLLIN};
    fd[gate->nr] = (struct pollfd){.fd = over, .events = POLLIN};
    while (missing > 0) {
        if (poll(fd, gate->nr + 1, -1) < 0)
            continue; /* EINTR: the other thread ends the copies */
        if (fd[gate->nr].revents)
            break;
        for (size_t i = 0; i < gate->nr; i++) {
            if (fd[i].revents && has_said(fd[i].fd, letter)) {
                fd[i].fd = -1; /* ignored from now on */
                missing--;
            }
        }
    }
    free(fd);
    return missing == 0;
}

static void let_go(const struct gate *gate)
{
    for (size_t i = 0; i < gate->nr; i++)
        while (write(gate->pipes[i].to_copy[1], "G", 1) < 0 && errno == EINTR)
            ;
}

/* Nobody answers any more: a copy that asks reads the end of its pipe and goes on or
 * ends. */
static void abandon(struct gate *gate)
{
    for (size_t i = 0; i < gate->nr; i++)
        close_end(&gate->pipes[i].to_copy[1]);
}

static int serve(struct gate *gate, const struct run_opts *opts, const pid_t *pid,
                 int over, struct error *err)
{
    if (!all_arrive(gate, 'R', over))
        return 0;
    if (opts->at_gate(opts->gate_data, true, pid, gate->nr, err)) {
        abandon(gate);
        return -1;
    }
    let_go(gate);
    all_arrive(gate, 'E', over); /* dead or alive, a begin has its end */
    if (opts->at_gate(opts->gate_data, false, pid, gate->nr, err)) {
        abandon(gate);
        return -1;
    }
    let_go(gate);
    return 0;
}

static void *wait_in_thread(void *data)
{
    struct waiting *waiting = data;

    waiting->result = spawn_wait_all(waiting->child, waiting->nr, true, waiting->outcome,
                                     &waiting->error);
    close_end(&waiting->over[1]);
    return NULL;
}

int gate_wait_all(struct gate *gate, const struct run_opts *opts,
                  struct spawn_child **child, struct spawn_outcome *outcome,
                  struct error *err)
{
    struct waiting waiting = {
        .child = child, .nr = gate->nr, .outcome = outcome, .over = {-1, -1}};
    pid_t *pid = xcalloc(gate->nr, sizeof(*pid));
    pthread_t thread;
    int result = -1;

    for (size_t i = 0; i < gate->nr; i++)
        pid[i] = spawn_pid(child[i]);
    if (open_pipe(waiting.over, err))
        goto out;
    if (pthread_create(&thread, NULL, wait_in_thread, &waiting)) {
        fail(err, STATUS_FAILED, "cannot start a thread");
    } else {
        result = serve(gate, opts, pid, waiting.over[0], err);
        pthread_join(thread, NULL);
        if (waiting.result)
            result = fail(err, waiting.error.status, "%s", waiting.error.text);
    }
out:
    close_end(&waiting.over[0]);
    close_end(&waiting.over[1]);
    free(pid);
    return result;
}
