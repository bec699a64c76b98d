#define _GNU_SOURCE /* memmem */
#include "core/process/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/process/cleanup.h"
#include "core/process/spawn.h"

enum { rounds_max = 2000, block_bytes = 8192, path_bytes = 64 };

/* One process that is our child, as /proc tells. */
struct orphan {
    char state;
    pid_t group, session;
};

void spawn_end_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, (unsigned long)SIGTERM, 0L, 0L, 0L);
    if (getppid() != parent)
        raise(SIGTERM);
}

void orphans_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
}

void orphans_mark_of_all(char mark[orphan_mark_max])
{
    snprintf(mark, orphan_mark_max, "inflight.%ld.", (long)getpid());
}

void orphans_mark(char mark[orphan_mark_max])
{
    static atomic_ulong serial;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(mark, orphan_mark_max, "inflight.%ld.%lu.%lx;", (long)getpid(),
             atomic_fetch_add(&serial, 1), (unsigned long)now.tv_nsec);
}

/* "/proc/PID/name", without the printf family, which a signal handler must not use. */
static void proc_path(char path[path_bytes], pid_t pid, const char *name)
{
    char digits[24];
    size_t nr = 0, at = 6;

    memcpy(path, "/proc/", 6);
    for (long rest = pid; rest > 0; rest /= 10)
        digits[nr++] = (char)('0' + rest % 10);
    while (nr > 0)
        path[at++] = digits[--nr];
    memcpy(path + at, name, strlen(name) + 1);
}

static int proc_open(pid_t pid, const char *name)
{
    char path[path_bytes];

    proc_path(path, pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static bool is_marked(pid_t pid, const char *mark)
{
    char block[block_bytes];
    size_t kept = 0, length = strlen(mark);
    int fd = proc_open(pid, "/environ");
    bool found = false;
    ssize_t got;

    while (fd >= 0 && !found &&
           (got = read(fd, block + kept, sizeof(block) - kept)) > 0) {
        size_t filled = kept + (size_t)got;

        found = memmem(block, filled, mark, length) != NULL;
        kept = filled < length ? filled : length - 1; /* it may lie across two blocks */
        memmove(block, block + filled - kept, kept);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

static pid_t next_number(const char **at)
{
    char *end;
    long number = strtol(*at, &end, 10);

    *at = end;
    return (pid_t)number;
}

/* "pid (name) state ppid group session ..."; the name may hold anything. */
static bool look_at(pid_t pid, struct orphan *orphan)
{
    char text[512];
    int fd = proc_open(pid, "/stat");
    ssize_t got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    const char *at;

    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return false;
    text[got] = '\0';
    at = strrchr(text, ')');
    if (!at || at[1] != ' ')
        return false;
    orphan->state = at[2];
    at += 3;
    next_number(&at); /* the parent: we */
    orphan->group = next_number(&at);
    orphan->session = next_number(&at);
    return true;
}

static void rest_1ms(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void kill_and_reap(pid_t pid, const struct orphan *orphan)
{
    kill(orphan->group == pid ? -pid : pid, SIGKILL);
    for (int i = 0; i < 100 && waitpid(pid, NULL, WNOHANG) == 0; i++)
        rest_1ms();
}

/* Returns whether it lives and is marked. */
static bool handle(pid_t pid, const char *mark, pid_t group, bool only_count)
{
    struct orphan orphan;

    if (cleanup_has_group(pid) || !look_at(pid, &orphan))
        return false;
    if (orphan.state == 'Z' || orphan.state == 'X') {
        if (!only_count && (orphan.group == group || orphan.session != getsid(0)))
            waitpid(pid, NULL, WNOHANG);
        return false;
    }
    if (!is_marked(pid, mark))
        return false;
    if (!only_count)
        kill_and_reap(pid, &orphan);
    return true;
}

/* Orphans come to the first thread of the process, if it lives. */
static int open_children(void)
{
    char name[path_bytes], path[path_bytes];

    proc_path(path, getpid(), "/children");
    memcpy(name, "/task/", 6);
    memcpy(name + 6, path + 6, strlen(path + 6) + 1);
    return proc_open(getpid(), name);
}

/* One look at all children. Returns how many were for us. */
static size_t pass(const char *mark, pid_t group, bool only_count)
{
    char list[block_bytes];
    int fd = open_children();
    ssize_t got = fd >= 0 ? read(fd, list, sizeof(list) - 1) : -1;
    size_t found = 0;

    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return 0;
    list[got] = '\0';
    if ((size_t)got == sizeof(list) - 1) /* the last number may be cut */
        list[strlen(list) - strlen(strrchr(list, ' '))] = '\0';
    for (const char *at = list; *at >= '0' || *at == ' ';) {
        pid_t pid = next_number(&at);

        if (pid <= 0)
            break;
        found += handle(pid, mark, group, only_count);
    }
    return found;
}

size_t orphans_end(const char *mark, pid_t group)
{
    size_t lived = pass(mark, group, true), later = 0, found;
    int saved = errno;

    if (group > 0)
        kill(-group, SIGKILL);
    for (int i = 0; i < rounds_max; i++) {
        found = pass(mark, group, false);
        if (found == 0)
            break;
        later += found;
        rest_1ms();
    }
    errno = saved;
    return lived > 0 ? lived : later;
}
