#define _GNU_SOURCE /* statx */
#include "search/remote/mailbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base.h"
#include "core/files/trust.h"
#include "core/process/spawn.h"
#include "core/process/term.h"

static const double retry_s = 1, nap_min_s = 0.001, nap_max_s = 0.05;

char *mailbox_path(const char *folder, const char *room, const char *name)
{
    return *room ? xasprintf("%s/%s/%s", folder, room, name)
                 : xasprintf("%s/%s", folder, name);
}

int mailbox_make(const char *folder, struct error *err)
{
    static const char *const room[] = {MAILBOX_WORKERS, MAILBOX_INBOX, MAILBOX_ANSWERS};
    int status = trust_make(folder, TRUST_OWN, err);
    for (size_t i = 0; i < ARRAY_SIZE(room) && !status; i++)
        status = mailbox_make_room(folder, room[i], err);
    /* What others have put there while they could. */
    return status || trust_tree(folder, TRUST_OWN, err)
               ? fail_in(err, "head and workers write to a folder of the user's alone")
               : 0;
}

int mailbox_make_room(const char *folder, const char *room, struct error *err)
{
    char *path = path_join(folder, room);
    int status = trust_make(path, TRUST_OWN, err);
    free(path);
    return status;
}

bool mailbox_is_one(const char *folder)
{
    char *workers = path_join(folder, MAILBOX_WORKERS);
    bool is = dir_exists(workers);
    free(workers);
    return is;
}

/* ---- messages ---- */

static void sleep_s(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
}

/* What others may mend while we wait. */
static bool may_pass(int reason)
{
    return reason == ENOSPC || reason == EDQUOT || reason == EIO || reason == ESTALE ||
           reason == ETIMEDOUT || reason == EAGAIN;
}

/* 0, or errno. */
static int write_once(const char *path, const char *text)
{
    char *whole = xasprintf("%s.part", path);
    size_t length = strlen(text), done = 0;
    int reason = 0, fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while (fd >= 0 && done < length && !reason) {
        ssize_t more = write(fd, text + done, length - done);
        if (more > 0)
            done += (size_t)more;
        else if (errno != EINTR)
            reason = errno ? errno : EIO;
    }
    /* Not synced: whoever waits for it asks again, and a file server has it at close. */
    if (fd < 0 || (close(fd) && !reason))
        reason = errno;
    if (!reason && rename(whole, path))
        reason = errno;
    if (reason)
        unlink(whole);
    free(whole);
    return reason;
}

int mailbox_put(const char *folder, const char *room, const char *name,
                const json_t *document, const struct mailbox_patience *patience,
                struct error *err)
{
    char *path = mailbox_path(folder, room, name), *text = json_text(document);
    double until_s = clock_s() + patience->seconds;
    bool said = false;
    int reason;
    while ((reason = write_once(path, text)) && may_pass(reason) && clock_s() < until_s &&
           !spawn_interrupted()) {
        if (!said && patience->say) {
            char *sentence =
                xasprintf("waiting: cannot write '%s': %s", path, strerror(reason));
            patience->say(patience->data, sentence);
            free(sentence);
        }
        said = true;
        sleep_s(retry_s);
    }
    int status =
        reason ? fail(err, STATUS_FAILED, "cannot write '%s': %s", path, strerror(reason))
               : 0;
    free(text);
    free(path);
    return status;
}

static const struct mailbox_patience once;

void mailbox_mark(const char *folder, const char *name)
{
    json_t *empty = json_object();
    mailbox_put(folder, "", name, empty, &once, NULL);
    json_decref(empty);
}

void mailbox_bye(const char *folder, const char *worker, const char *why)
{
    char *name = xasprintf("%s.bye", worker);
    json_t *bye = json_pack("{s:s, s:o}", "message", "bye", "why", text_json(why));
    mailbox_put(folder, MAILBOX_WORKERS, name, bye, &once, NULL);
    json_decref(bye);
    free(name);
}

static bool is_whole(const char *name)
{
    size_t length = strlen(name), ending = strlen(".part");
    return *name != '.' && (length < ending || strcmp(name + length - ending, ".part"));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* NFS keeps for half a minute and longer what was in a folder (acdirmin) and when a file
 * was changed (acregmax), unless the server is asked, as here. Elsewhere it takes a
 * microsecond. Seconds; -1 = it is not there. */
static long long changed_at(const char *path)
{
    struct statx entry;
    return statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC, STATX_MTIME, &entry) == 0
               ? (long long)entry.stx_mtime.tv_sec
               : -1;
}

void mailbox_list(const char *folder, const char *room, struct strvec *names)
{
    char *path = path_join(folder, room);
    changed_at(path);
    DIR *dir = opendir(path);
    struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        if (is_whole(entry->d_name))
            strvec_push(names, entry->d_name);
    if (dir)
        closedir(dir);
    if (names->nr)
        qsort(names->v, names->nr, sizeof(*names->v), by_name);
    free(path);
}

json_t *mailbox_read(const char *folder, const char *room, const char *name)
{
    char *path = mailbox_path(folder, room, name);
    json_t *document = NULL;
    if (json_read_own(path, NULL, &document, NULL))
        document = NULL;
    free(path);
    return document;
}

void mailbox_remove(const char *folder, const char *room, const char *name)
{
    char *path = mailbox_path(folder, room, name);
    unlink(path);
    free(path);
}

void mailbox_nap(struct mailbox_nap *nap)
{
    nap->seconds = fmin(nap->seconds > 0 ? nap->seconds * 1.3 : nap_min_s, nap_max_s);
    sleep_s(nap->seconds);
}

/* ---- beats ---- */

long long mailbox_beat(const char *folder, const char *name)
{
    char *path = xasprintf("%s/%s.beat", folder, name);
    long long count = changed_at(path);
    free(path);
    return count;
}

struct mailbox_beater {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopping;
    char *path;
    bool stop;
};

/* A count, and no time of ours: the other side looks whether it changes. Setting it needs
 * no room on the disk. */
static void beat(const char *path, time_t count)
{
    const struct timespec both[2] = {{.tv_sec = count}, {.tv_sec = count}};
    utimensat(AT_FDCWD, path, both, AT_SYMLINK_NOFOLLOW);
}

static void *beat_on(void *data)
{
    struct mailbox_beater *beater = data;
    time_t count = 1;
    pthread_mutex_lock(&beater->lock);
    while (!beater->stop) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += (time_t)MAILBOX_BEAT_S;
        beat(beater->path, count++);
        pthread_cond_timedwait(&beater->stopping, &beater->lock, &until);
    }
    pthread_mutex_unlock(&beater->lock);
    return NULL;
}

int mailbox_beater_start(const char *folder, const char *name,
                         struct mailbox_beater **out, struct error *err)
{
    char *path = xasprintf("%s/%s.beat", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) {
        int status =
            fail(err, STATUS_FAILED, "cannot write '%s': %s", path, strerror(errno));
        free(path);
        return status;
    }
    close(fd);
    struct mailbox_beater *beater = xcalloc(1, sizeof(*beater));
    beater->path = path;
    pthread_mutex_init(&beater->lock, NULL);
    pthread_cond_init(&beater->stopping, NULL);
    sigset_t all, before; /* signals are for the thread that measures */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int reason = pthread_create(&beater->thread, NULL, beat_on, beater);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (reason) {
        free(path);
        free(beater);
        return fail(err, STATUS_FAILED, "cannot start a thread: %s", strerror(reason));
    }
    *out = beater;
    return 0;
}

void mailbox_beater_stop(struct mailbox_beater *beater)
{
    if (!beater)
        return;
    pthread_mutex_lock(&beater->lock);
    beater->stop = true;
    pthread_cond_signal(&beater->stopping);
    pthread_mutex_unlock(&beater->lock);
    pthread_join(beater->thread, NULL);
    pthread_mutex_destroy(&beater->lock);
    pthread_cond_destroy(&beater->stopping);
    free(beater->path);
    free(beater);
}
