#define _GNU_SOURCE    /* posix_spawn_file_actions_addchdir_np and _addtcsetpgrp_np,     \
                          execvpe */
#include "core/process/spawn_exec.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/process/strays.h"

extern char **environ;

static bool is_overridden(const char *entry, const char *const *extra)
{
    size_t name = strcspn(entry, "=") + 1;

    if (strncmp(entry, STRAYS_VARIABLE "=", name) == 0)
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
    const char *outer = getenv(STRAYS_VARIABLE);

    strvec_pushf(list, STRAYS_VARIABLE "=%s%s", outer ? outer : "", mark);
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
void spawn_take_terminal_back(void)
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

/* ---- stopped before it begins, which posix_spawn cannot do ---- */

static void default_signals(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        if (i != SIGKILL && i != SIGSTOP)
            signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child, which may only call what is safe in a signal handler. */
static void become(const struct spawn_request *request, char *const *environment,
                   bool terminal)
{
    setpgid(0, 0);
    if (terminal) {
        signal(SIGTTOU, SIG_IGN);
        tcsetpgrp(0, getpid());
    }
    default_signals();
    if (request->out_to_err)
        dup2(2, 1);
    if (request->dir && chdir(request->dir))
        _exit(127);
    raise(SIGSTOP);
    execvpe(request->argv[0], (char *const *)(uintptr_t)request->argv, environment);
    _exit(127);
}

static int exec_stopped(pid_t *pid, const struct spawn_request *request,
                        char *const *environment)
{
    bool terminal = has_terminal();
    int status;

    *pid = fork();
    if (*pid < 0)
        return errno;
    if (*pid == 0)
        become(request, environment, terminal);
    setpgid(*pid, *pid);
    while (waitpid(*pid, &status, WUNTRACED) < 0 && errno == EINTR)
        ;
    return 0;
}

int spawn_exec(pid_t *pid, const struct spawn_request *request,
               const int write_end[SPAWN_STREAMS], const char *mark)
{
    struct strvec environment = {0};

    make_environment(&environment, request->env_extra, mark);
    int cause = request->stopped ? exec_stopped(pid, request, environment.v)
                                 : exec_with(pid, request, write_end, environment.v);
    strvec_release(&environment);
    return cause;
}
