#define _DEFAULT_SOURCE /* syscall, waitid */
#include "core/process/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/process/orphans.h"
#include "core/process/progress.h"
#include "core/process/spawn.h"

enum { group_max = 1024, folder_max = 64, leaders_wait_ms = 200 };

enum folder_state { FOLDER_FREE, FOLDER_RESERVED, FOLDER_LIVE };

static atomic_int groups[group_max]; /* 0 = free */
static struct {
    atomic_int state;
    char path[PATH_MAX];
} folders[folder_max];

static pthread_once_t installed = PTHREAD_ONCE_INIT;
static char mark_of_all[orphan_mark_max];
static pid_t owner; /* a forked child inherits the tables but not the duty */
static atomic_bool catch_interrupt;
static atomic_int interrupted_by;
static _Atomic(const char *) last_words; /* NULL = none */
static atomic_bool on_terminal;          /* may show a line of progress */

static const int fatal_signals[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,  SIGABRT, SIGQUIT,
                                    SIGPIPE, SIGXCPU, SIGINT, SIGTERM, SIGHUP};

int cleanup_add_group(pid_t group, struct error *err)
{
    for (int i = 0; i < group_max; i++) {
        int expected = 0;

        if (atomic_compare_exchange_strong(&groups[i], &expected, group))
            return i;
    }
    return fail(err, STATUS_FAILED, "more than %d processes at once", group_max);
}

void cleanup_forget_group(int slot)
{
    if (slot >= 0)
        atomic_store(&groups[slot], 0);
}

bool cleanup_has_group(pid_t group)
{
    for (int i = 0; i < group_max; i++)
        if (atomic_load(&groups[i]) == group)
            return true;
    return false;
}

int cleanup_add_folder(const char *path, struct error *err)
{
    if (strlen(path) >= sizeof(folders[0].path))
        return fail(err, STATUS_FAILED, "the path of folder '%s' is too long", path);
    for (int i = 0; i < folder_max; i++) {
        int expected = FOLDER_FREE;

        if (!atomic_compare_exchange_strong(&folders[i].state, &expected,
                                            FOLDER_RESERVED))
            continue;
        memcpy(folders[i].path, path, strlen(path) + 1);
        atomic_store(&folders[i].state, FOLDER_LIVE);
        return i;
    }
    return fail(err, STATUS_FAILED, "more than %d scratch folders at once", folder_max);
}

void cleanup_forget_folder(const char *path)
{
    for (int i = 0; i < folder_max; i++)
        if (atomic_load(&folders[i].state) == FOLDER_LIVE &&
            strcmp(folders[i].path, path) == 0)
            atomic_store(&folders[i].state, FOLDER_FREE);
}

/* Async-signal-safe. */
static void cleanup_signal_groups(int signal_number)
{
    for (int i = 0; i < group_max; i++) {
        pid_t group = atomic_load(&groups[i]);

        if (group > 0)
            kill(-group, signal_number);
    }
}

static int remove_at(int parent, const char *name);

/* The kernel's directory record: opendir would allocate, which a signal handler must not.
 */
struct record {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* Removes what one read of the folder lists. Returns how many it removed, -1 if one
 * cannot be removed. */
static int remove_batch(int folder, const char *batch, long length)
{
    int removed = 0;

    for (long at = 0; at < length;) {
        const struct record *entry = (const void *)(batch + at);

        at += entry->length;
        if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
            continue;
        if (remove_at(folder, entry->name))
            return -1;
        removed++;
    }
    return removed;
}

static int remove_entries(int folder)
{
    _Alignas(struct record) char batch[4096];
    int removed, removed_in_pass;

    do { /* a pass may skip entries while others disappear */
        removed_in_pass = 0;
        lseek(folder, 0, SEEK_SET);
        for (;;) {
            long length = syscall(SYS_getdents64, folder, batch, sizeof(batch));

            if (length < 0)
                return -1;
            if (length == 0)
                break;
            removed = remove_batch(folder, batch, length);
            if (removed < 0)
                return -1;
            removed_in_pass += removed;
        }
    } while (removed_in_pass > 0);
    return 0;
}

static int remove_at(int parent, const char *name)
{
    int folder, result;

    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return -1;
    result = remove_entries(folder);
    close(folder);
    if (result == 0)
        result = unlinkat(parent, name, AT_REMOVEDIR);
    return result;
}

int remove_tree(const char *path)
{
    return remove_at(AT_FDCWD, path);
}

static void remove_folders(void)
{
    for (int i = 0; i < folder_max; i++)
        if (atomic_load(&folders[i].state) == FOLDER_LIVE)
            remove_tree(folders[i].path);
}

/* Leaders that live, killed though they are. */
static bool groups_live(void)
{
    for (int i = 0; i < group_max; i++) {
        pid_t group = atomic_load(&groups[i]);
        siginfo_t info = {0};

        if (group > 0 &&
            waitid(P_PID, (id_t)group, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == 0)
            return true;
    }
    return false;
}

/* Orphans come to us only once their parents have ended. */
static void end_groups(void)
{
    cleanup_signal_groups(SIGKILL);
    for (int i = 0; i < leaders_wait_ms && groups_live(); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    orphans_end(mark_of_all, 0);
}

static void at_exit(void)
{
    if (getpid() != owner)
        return;
    end_groups();
    remove_folders();
}

static bool is_interrupt(int signal_number)
{
    return signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP;
}

static void say_last_words(void)
{
    static const char clear_line[] = "\r\033[K";
    const char *words = atomic_load(&last_words);

    if (progress_is_shown() || (words && atomic_load(&on_terminal)))
        (void)!write(STDERR_FILENO, clear_line, sizeof(clear_line) - 1);
    if (words)
        (void)!write(STDERR_FILENO, words, strlen(words));
}

static void on_signal(int signal_number)
{
    int saved = errno, expected = 0;

    if (is_interrupt(signal_number) && atomic_load(&catch_interrupt) &&
        atomic_compare_exchange_strong(&interrupted_by, &expected, signal_number)) {
        if (getpid() == owner)
            cleanup_signal_groups(SIGTERM);
        errno = saved;
        return;
    }
    if (is_interrupt(signal_number))
        say_last_words();
    at_exit();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    errno = saved;
}

static void install_handler(int signal_number, bool replace)
{
    struct sigaction action = {.sa_handler = on_signal}, old;

    if (sigaction(signal_number, NULL, &old) != 0)
        return;
    if (old.sa_handler != SIG_DFL && !(replace && old.sa_handler != SIG_IGN))
        return;
    sigfillset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

static void install_once(void)
{
    struct sigaction old;

    owner = getpid();
    orphans_adopt();
    orphans_mark_of_all(mark_of_all);
    atexit(at_exit);
    for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
        install_handler(fatal_signals[i], false);
    /* Ignored by our caller, children would vanish before we can ask for their end. */
    if (sigaction(SIGCHLD, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL);
}

void cleanup_install(void)
{
    pthread_once(&installed, install_once);
}

static void install_interrupt_handlers(void)
{
    cleanup_install();
    install_handler(SIGINT, true);
    install_handler(SIGTERM, true);
    install_handler(SIGHUP, true);
}

void spawn_catch_interrupt(void)
{
    atomic_store(&catch_interrupt, true);
    atomic_store(&last_words, NULL);
    install_interrupt_handlers();
}

void spawn_die_on_interrupt(const char *words)
{
    atomic_store(&on_terminal, isatty(STDERR_FILENO) != 0);
    atomic_store(&last_words, words);
    atomic_store(&catch_interrupt, false);
    install_interrupt_handlers();
}

int spawn_interrupted(void)
{
    return atomic_load(&interrupted_by);
}
