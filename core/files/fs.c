#include "core/files/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/trust.h"
#include "core/process/cleanup.h"

enum { links_max = 40 }; /* as the kernel follows */

/* errno EFBIG: it holds more than `most`. */
static int read_all(int fd, size_t max, struct buf *out)
{
    char block[65536];
    size_t start = out->length;

    for (;;) {
        ssize_t got = read(fd, block, sizeof(block));

        if (got == 0)
            return 0;
        if (got > 0 && (size_t)got > max - (out->length - start)) {
            errno = EFBIG;
            return -1;
        }
        if (got > 0)
            buf_add_n(out, block, (size_t)got);
        else if (errno != EINTR)
            return -1;
    }
}

int file_read(const char *path, struct buf *out, struct error *err)
{
    return file_read_max(path, SIZE_MAX, out, err);
}

/* Takes the descriptor; -1: errno says why there is none. */
static int read_opened(int fd, const char *path, size_t max, struct buf *out,
                       struct error *err)
{
    size_t start = out->length;
    int result = fd < 0 ? -1 : read_all(fd, max, out);

    if (result && errno == EFBIG) {
        buf_truncate(out, start);
        close(fd);
        return fail(
            err, STATUS_INPUT,
            "'%s' holds more than %zu KiB, the most that is read from such a file", path,
            max >> 10);
    }

    if (result)
        fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return result;
}

int file_read_max(const char *path, size_t max, struct buf *out, struct error *err)
{
    return read_opened(open(path, O_RDONLY | O_CLOEXEC), path, max, out, err);
}

int file_read_own(const char *path, size_t max, struct buf *out, struct error *err)
{
    int fd = trust_open(path, 0, err);

    return fd < 0 ? -1 : read_opened(fd, path, max, out, err);
}

int file_read_found(const char *path, const char *source, struct buf *out,
                    struct error *err)
{
    int fd = trust_found(path, source, err);

    return fd < 0 ? -1 : read_opened(fd, path, SIZE_MAX, out, err);
}

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, bytes, length);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        bytes += done;
        length -= (size_t)done;
    }
    return 0;
}

/* Where something is written: behind all links, so that a link stays one. */
struct place {
    int folder; /* open, so that nobody can put another in its place meanwhile */
    char *name, *temporary;
};

static void place_release(struct place *place)
{
    if (place->folder >= 0)
        close(place->folder);
    free(place->name);
    free(place->temporary);
}

/* Enters the folder of `at`; true: `at` is a link, and `next` is what it leads to. Those
 * of /proc lead nowhere by name: what is behind them is no file to be replaced. */
static bool enter(struct place *place, const char *at, char **next, struct error *why)
{
    struct stat about;
    char *folder = path_folder(at), to[PATH_MAX];
    ssize_t length = -1;

    *place = (struct place){.name = xstrdup(path_base(at))};
    place->folder = trust_way(folder, why);
    if (place->folder < 0 && stat(folder, &about)) {
        error_clear(why);
        fail(why, STATUS_FAILED, "%s", strerror(errno));
    } else if (place->folder >= 0 &&
               !fstatat(place->folder, place->name, &about, AT_SYMLINK_NOFOLLOW)) {
        bool link = S_ISLNK(about.st_mode);

        if ((link || S_ISFIFO(about.st_mode)) && !trust_is_user(about.st_uid))
            fail(why, STATUS_FAILED,
                 "it is a %s that belongs to another user; remove it, or name another "
                 "file",
                 link ? "link" : "pipe");
        else if (link)
            length = readlinkat(place->folder, place->name, to, sizeof(to) - 1);
    }
    if (length >= 0) {
        to[length] = '\0';
        *next = path_join(folder, to);
    }
    free(folder);
    return length >= 0;
}

/* Links and pipes that another user has put on the way decide where it goes: whoever
 * follows them overwrites what that user chose. */
static int find_place(const char *path, struct place *place, struct error *err)
{
    static atomic_uint counter;
    struct error why = {0};
    char *at = xstrdup(path), *next = NULL;
    int links = 0;

    while (enter(place, at, &next, &why) && links++ < links_max) {
        place_release(place);
        free(at);
        at = next;
        next = NULL;
    }
    free(next);
    free(at);
    place->temporary = xasprintf("%s.%ld-%u.tmp", place->name, (long)getpid(),
                                 atomic_fetch_add(&counter, 1));
    return why.status ? fail(err, STATUS_FAILED, "cannot write '%s': %s", path, why.text)
                      : 0;
}

/* New files are for nobody else to change, whatever the umask: profiles, records and
 * captured inputs would not be believed again. */
static int write_and_sync(const struct place *place, const void *bytes, size_t length)
{
    struct stat old;
    int fd = openat(place->folder, place->temporary,
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    int failed;

    if (fd < 0)
        return -1;
    if (fstatat(place->folder, place->name, &old, 0) == 0 &&
        old.st_uid == geteuid()) /* nobody else's choice */
        (void)!fchmod(fd, old.st_mode & 0777);
    failed = write_all(fd, bytes, length) || fsync(fd);
    if (close(fd) || failed ||
        renameat(place->folder, place->temporary, place->folder, place->name)) {
        int cause = errno;

        unlinkat(place->folder, place->temporary, 0);
        errno = cause;
        return -1;
    }
    return 0;
}

/* /dev/stdout, a pipe, a terminal: must stay what it is. */
static bool is_special(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

static int write_special(const char *path, const void *bytes, size_t length)
{
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC), result;
    struct stat found;

    if (fd < 0)
        return -1;
    errno = EEXIST; /* a file that was put in its place meanwhile */
    result =
        !fstat(fd, &found) && !S_ISREG(found.st_mode) ? write_all(fd, bytes, length) : -1;
    return close(fd) ? -1 : result;
}

int file_write(const char *path, const void *bytes, size_t length, struct error *err)
{
    struct place place;
    int result = find_place(path, &place, err);

    if (!result && (is_special(path) ? write_special(path, bytes, length)
                                     : write_and_sync(&place, bytes, length)))
        result = fail(err, STATUS_FAILED, "cannot write '%s': %s", path, strerror(errno));
    place_release(&place);
    return result;
}

static int try_temporary(const struct place *place)
{
    int fd = openat(place->folder, place->temporary,
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return -1;
    close(fd);
    return unlinkat(place->folder, place->temporary, 0);
}

static int try_special(const char *path)
{
    if (!dir_exists(path))
        return access(path, W_OK);
    errno = EISDIR;
    return -1;
}

int file_check_writable(const char *path, struct error *err)
{
    struct place place;
    int result = find_place(path, &place, err);

    if (!result && (is_special(path) ? try_special(path) : try_temporary(&place)))
        result = fail(err, STATUS_FAILED, "cannot write '%s': %s", path, strerror(errno));
    place_release(&place);
    return result;
}

bool file_exists(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
}

bool file_is_same(const char *a, const char *b)
{
    struct stat one, other;

    return !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool dir_exists(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static int make_one(const char *path, mode_t mode, struct error *err)
{
    if (mkdir(path, mode) == 0 || dir_exists(path))
        return 0;
    return fail(err, STATUS_FAILED, "cannot make the folder '%s': %s", path,
                strerror(errno));
}

static int make_all(const char *path, mode_t mode, struct error *err)
{
    char *part = xstrdup(path);
    int result = 0;

    for (char *at = part + 1; *part && *at && !result; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        result = make_one(part, mode, err);
        *at = '/';
    }
    if (!result)
        result = make_one(part, mode, err);
    free(part);
    return result;
}

int dir_make_all(const char *path, struct error *err)
{
    return make_all(path, 0777, err);
}

int dir_make_private(const char *path, struct error *err)
{
    return make_all(path, 0700, err);
}

int dir_remove_all(const char *path)
{
    return remove_tree(path);
}
