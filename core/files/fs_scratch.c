/* Private temporary folders, and what the killed left of theirs. */
#define _DEFAULT_SOURCE /* flock, mkdtemp */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/files/fs.h"
#include "core/files/trust.h"
#include "core/process/cleanup.h"

static const char prefix[] = "inflight-run-";
/* Between making and locking a folder it looks as if nobody had it. */
enum { min_age_s = 5 };

/* The locks of the folders in use: the kernel gives them back when we end. */
struct held {
    char *path;
    int fd;
};
static struct held *held;
static size_t held_nr, held_alloc;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static char *swept; /* the folder that was looked through */

static const char *temporary(void)
{
    const char *tmp = getenv("TMPDIR");

    return tmp && *tmp ? tmp : "/tmp";
}

/* -1 when somebody else has it, or it is not to be had. */
static int lock_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    close(fd);
    return -1;
}

static void remove_if_left(const char *path)
{
    struct stat found;
    int fd;

    if (lstat(path, &found) || !S_ISDIR(found.st_mode) || found.st_uid != geteuid() ||
        time(NULL) - found.st_mtime < min_age_s)
        return;
    fd = lock_folder(path);
    if (fd < 0)
        return;
    remove_tree(path);
    close(fd);
}

static void sweep(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char *path;

        if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) != 0)
            continue;
        path = path_join(folder, entry->d_name);
        remove_if_left(path);
        free(path);
    }
    if (dir)
        closedir(dir);
}

static void sweep_once(const char *folder)
{
    pthread_mutex_lock(&guard);
    bool done = swept && strcmp(swept, folder) == 0;
    if (!done) {
        free(swept);
        swept = xstrdup(folder);
    }
    pthread_mutex_unlock(&guard);
    if (!done)
        sweep(folder);
}

static void hold(const char *path)
{
    int fd = lock_folder(path);

    if (fd < 0)
        return;
    pthread_mutex_lock(&guard);
    GROW(held, held_nr + 1, held_alloc);
    held[held_nr++] = (struct held){xstrdup(path), fd};
    pthread_mutex_unlock(&guard);
}

static void let_go(const char *path)
{
    pthread_mutex_lock(&guard);
    for (size_t i = 0; i < held_nr; i++) {
        if (strcmp(held[i].path, path) != 0)
            continue;
        close(held[i].fd);
        free(held[i].path);
        held[i] = held[--held_nr];
        break;
    }
    pthread_mutex_unlock(&guard);
}

int scratch_make(char **path, struct error *err)
{
    char *name = xasprintf("%sXXXXXX", prefix), *made = path_join(temporary(), name);
    struct error why = {0};

    free(name);
    *path = NULL;
    cleanup_install();
    if (dir_exists(temporary()) && trust_folder(temporary(), TRUST_PASSING, &why)) {
        fail(err, STATUS_MISSING, "cannot make a temporary folder: %s; set TMPDIR",
             why.text);
        free(made);
        return -1;
    }
    sweep_once(temporary());
    if (!mkdtemp(made)) {
        fail(err, STATUS_MISSING, "cannot make a temporary folder '%s': %s; set TMPDIR",
             made, strerror(errno));
        free(made);
        return -1;
    }
    if (cleanup_add_folder(made, err) < 0) {
        remove_tree(made);
        free(made);
        return -1;
    }
    hold(made);
    *path = made;
    return 0;
}

void scratch_remove(char *path)
{
    if (!path)
        return;
    remove_tree(path);
    let_go(path);
    cleanup_forget_folder(path);
    free(path);
}
