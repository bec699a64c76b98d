#define _GNU_SOURCE /* O_PATH */
#include "core/files/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/files/fs.h"

enum { links_max = 40 };

/* ---- who ---- */

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static uid_t program_owner; /* root's where there is none to tell */

/* Whose the program's data are has his code run already: its templates are compiled. So
 * is a clone that root builds, or a home that root was given, in a container. */
static void look_at_program(void)
{
    const uid_t nobody = 65534; /* in a namespace of users anybody may be called so */
    struct strvec dirs = {0};
    struct stat about;

    program_data_dirs(&dirs);
    for (size_t i = 0; i < dirs.nr; i++)
        if (stat(dirs.v[i], &about) == 0) {
            program_owner = about.st_uid == nobody ? 0 : about.st_uid;
            break;
        }
    strvec_release(&dirs);
}

static bool is_user(uid_t owner)
{
    pthread_once(&looked, look_at_program);
    return owner == 0 || owner == geteuid() || owner == program_owner;
}

bool trust_is_user(unsigned owner)
{
    struct stat top;

    return is_user(owner) || (stat("/", &top) == 0 && top.st_uid == owner);
}

static char *name_of_user(uid_t owner)
{
    const struct passwd *user = getpwuid(owner);

    return user ? xasprintf("'%s'", user->pw_name) : xasprintf("user %ld", (long)owner);
}

/* A user's private group, in which new users are by default: it has the user's name, and
 * nobody else in it. Root's is none: it often has others. */
static bool is_private_group(gid_t gid)
{
    const struct passwd *user = geteuid() ? getpwuid(geteuid()) : NULL;
    char *name = user && user->pw_gid == gid ? xstrdup(user->pw_name) : NULL;
    const struct group *group = name ? getgrgid(gid) : NULL;
    bool alone = group && !strcmp(group->gr_name, name);

    for (char **member = alone ? group->gr_mem : NULL; member && *member; member++)
        alone = alone && !strcmp(*member, name);
    free(name);
    return alone;
}

static bool has_access_list(int fd)
{
    char *path = xasprintf("/proc/self/fd/%d", fd);
    bool has = getxattr(path, "system.posix_acl_access", NULL, 0) > 0;

    free(path);
    return has;
}

static bool others_write(int fd, const struct stat *about, enum trust trust)
{
    if (about->st_mode & S_IWOTH)
        return true;
    return (about->st_mode & S_IWGRP) && (trust == TRUST_OWN || has_access_list(fd) ||
                                          !is_private_group(about->st_gid));
}

/* ---- refusals ---- */

static int refuse_owner(const char *path, const struct stat *about, const char *remedy,
                        struct error *err)
{
    char *name = name_of_user(about->st_uid);
    int result =
        fail(err, STATUS_INPUT,
             "'%s' belongs to %s, whose words would be run or believed as yours; "
             "%s",
             path, name, remedy);

    free(name);
    return result;
}

/* `below`: what it is above; NULL = it is meant itself. A folder that many need may stay
 * so: those below it are safe when nobody may rename what is not his (sticky). */
static int refuse_writable(const char *path, const struct stat *about, const char *below,
                           struct error *err)
{
    struct buf what = {0}, remedy = {0};

    buf_addf(&what, "'%s'", path);
    if (below)
        buf_addf(&what, ", above '%s'", below);
    if (!(about->st_mode & S_ISVTX) && (!geteuid() || about->st_uid == geteuid())) {
        buf_addf(&remedy, "type: chmod %s ",
                 below && (about->st_mode & S_IWOTH) ? "+t" : "go-w");
        buf_add_shell_word(&remedy, path);
    } else {
        buf_addf(&remedy, "name %s",
                 S_ISDIR(about->st_mode) ? "one in a folder of your own"
                                         : "another file");
    }
    int result =
        fail(err, STATUS_INPUT,
             "others may write to %s (mode %04o), so their words could be run or "
             "believed as yours; %s",
             buf_str(&what), (unsigned)about->st_mode & 07777, buf_str(&remedy));
    buf_release(&what);
    buf_release(&remedy);
    return result;
}

static int refuse_file_owner(const char *path, const struct stat *about,
                             struct error *err)
{
    struct buf remedy = {0};

    buf_add(&remedy, geteuid() ? "take a copy of it, if you trust it"
                               : "if you trust it, type: chown root ");
    if (!geteuid())
        buf_add_shell_word(&remedy, path);
    int result = refuse_owner(path, about, buf_str(&remedy), err);
    buf_release(&remedy);
    return result;
}

/* ---- files ---- */

static int look_at_file(const char *path, int fd, const struct stat *about,
                        struct error *err)
{
    if (S_ISDIR(about->st_mode))
        return fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(EISDIR));
    if (!S_ISREG(about->st_mode))
        return fail(err, STATUS_INPUT, "'%s' is not a regular file", path);
    if (!is_user(about->st_uid))
        return refuse_file_owner(path, about, err);
    return others_write(fd, about, TRUST_KEPT) ? refuse_writable(path, about, NULL, err)
                                               : 0;
}

static int open_file(const char *path, int flags)
{
    return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
}

int trust_open(const char *path, int flags, struct error *err)
{
    int fd = open_file(path, flags);
    struct stat about;

    if (fd < 0 || fstat(fd, &about)) {
        fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
    } else if (look_at_file(path, fd, &about, err) == 0) {
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

int trust_look(const char *path, struct error *err)
{
    struct stat about;
    int result = 0;

    /* Also one that leads nowhere yet: whoever makes a file makes it there. */
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode) &&
        !trust_is_user(about.st_uid))
        return refuse_owner(path, &about, "it is a link: remove it", err);
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 || fstat(fd, &about))
        result = fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
    else
        result = look_at_file(path, fd, &about, err);
    if (fd >= 0)
        close(fd);
    return result;
}

bool trust_has(const char *path)
{
    return file_exists(path) && trust_look(path, NULL) == 0;
}

/* Whoever may write to the one may write to the other. */
static bool is_as_open(const struct stat *found, const struct stat *named)
{
    mode_t more = found->st_mode & ~named->st_mode;

    return found->st_uid == named->st_uid && S_ISREG(found->st_mode) &&
           !(more & (S_IWGRP | S_IWOTH)) &&
           (!(found->st_mode & S_IWGRP) || found->st_gid == named->st_gid);
}

int trust_found(const char *path, const char *source, struct error *err)
{
    int fd = open_file(path, 0);
    struct stat found, named;

    if (fd < 0 || fstat(fd, &found) || stat(source, &named))
        fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
    else if (is_as_open(&found, &named) || !look_at_file(path, fd, &found, err))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* ---- folders ---- */

/* What /proc calls it: links in the path are gone. Caller frees. */
static char *name_of_folder(int fd)
{
    char *link = xasprintf("/proc/self/fd/%d", fd), name[PATH_MAX];
    ssize_t length = readlink(link, name, sizeof(name) - 1);

    free(link);
    return length > 0 ? xstrndup(name, (size_t)length) : xstrdup("?");
}

static int look_at_folder(int fd, const char *path, bool is_last, enum trust trust,
                          struct error *err)
{
    struct stat about;
    bool above = !is_last || trust == TRUST_PASSING, ours, sticky;
    int result = 0;

    if (fstat(fd, &about))
        return fail(err, STATUS_INPUT, "cannot look at a folder: %s", strerror(errno));
    ours = above ? trust_is_user(about.st_uid)
                 : about.st_uid == geteuid() ||
                       (trust != TRUST_OWN && is_user(about.st_uid));
    sticky = above && (about.st_mode & S_ISVTX);
    char *name = name_of_folder(fd);
    if (!ours)
        result = refuse_owner(name, &about,
                              "name a folder of your own, such as one made by: mkdir -m "
                              "700 \"$HOME/inflight-work\"",
                              err);
    else if (!sticky && others_write(fd, &about, trust))
        result = refuse_writable(name, &about, is_last ? NULL : path, err);
    free(name);
    return result;
}

/* Where the link at `fd` leads, and what of the path is behind it. Caller frees. */
static char *behind_link(int fd, const char *rest)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(fd, "", target, sizeof(target) - 1);

    return length > 0 ? xasprintf("%.*s/%s", (int)length, target, rest) : NULL;
}

static int refuse_step(const char *path, struct error *err)
{
    return fail(err, STATUS_INPUT, "cannot look at the folder '%s': %s", path,
                strerror(errno));
}

/* Goes from `*at` to the next name of `*rest`, which is folder or link. */
static int step(const char *path, int *at, char **rest, int *links, struct error *err)
{
    char *name = *rest + strspn(*rest, "/");
    size_t length = strcspn(name, "/");
    char *part = xstrndup(name, length), *behind = xstrdup(name + length);
    int next = openat(*at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC), result = 0;
    struct stat about;

    free(part);
    if (next < 0 || fstat(next, &about)) {
        result = refuse_step(path, err);
    } else if (S_ISLNK(about.st_mode)) {
        char *to = behind_link(next, behind);
        free(behind);
        behind = to;
        errno = ELOOP;
        if (!trust_is_user(about.st_uid))
            result =
                refuse_owner(path, &about, "it is a link: name what it leads to", err);
        else if (!to || ++*links > links_max)
            result = refuse_step(path, err);
        close(next);
        next = to && *to == '/' ? open("/", O_PATH | O_CLOEXEC)
                                : fcntl(*at, F_DUPFD_CLOEXEC, 0);
    } else if (!S_ISDIR(about.st_mode)) {
        errno = ENOTDIR;
        result = refuse_step(path, err);
    }
    if (next >= 0) {
        close(*at);
        *at = next;
    }
    free(*rest);
    *rest = behind;
    return result;
}

/* The folder, open; -1 = failed. */
static int walk(const char *path, enum trust trust, struct error *err)
{
    /* Whose the folder is that we are in is asked only with all above it. */
    bool from_here = trust == TRUST_LINKS && path[0] != '/';
    char *rest = from_here ? xstrdup(path) : path_absolute(path);
    int at = open(from_here ? "." : "/", O_PATH | O_CLOEXEC), links = 0;
    int result = at < 0 ? refuse_step(path, err) : 0;

    while (!result) {
        bool is_last = !rest[strspn(rest, "/")];

        if (trust != TRUST_LINKS)
            result = look_at_folder(at, path, is_last, trust, err);
        if (result || is_last)
            break;
        result = step(path, &at, &rest, &links, err);
    }
    if (result && at >= 0) {
        close(at);
        at = -1;
    }
    free(rest);
    return at;
}

int trust_folder(const char *path, enum trust trust, struct error *err)
{
    int fd = walk(path, trust, err);

    return fd < 0 ? -1 : close(fd);
}

int trust_way(const char *path, struct error *err)
{
    return walk(path, TRUST_LINKS, err);
}

static int look_at_entry(int folder, const char *name, const char *path, enum trust trust,
                         struct error *err);

/* Takes the descriptor. */
static int look_inside(int fd, const char *path, enum trust trust, struct error *err)
{
    DIR *dir = fdopendir(fd);
    int result = 0;

    if (!dir) {
        close(fd);
        return refuse_step(path, err);
    }
    for (const struct dirent *entry; !result && (entry = readdir(dir));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        char *inside = path_join(path, entry->d_name);
        result = look_at_entry(dirfd(dir), entry->d_name, inside, trust, err);
        free(inside);
    }
    closedir(dir);
    return result;
}

static int look_at_entry(int folder, const char *name, const char *path, enum trust trust,
                         struct error *err)
{
    int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), result = 0, inside;
    struct stat about;

    if (fd < 0 && errno == ENOENT)
        return 0; /* it was there a moment ago */
    if (fd < 0 || fstat(fd, &about)) {
        result = refuse_step(path, err);
    } else if (!is_user(about.st_uid)) {
        struct buf remedy = {0};
        buf_add(&remedy, "it was put there; look at it, and type: rm -r ");
        buf_add_shell_word(&remedy, path);
        result = refuse_owner(path, &about, buf_str(&remedy), err);
        buf_release(&remedy);
    } else if (!S_ISLNK(about.st_mode) &&
               (S_ISDIR(about.st_mode) || trust != TRUST_OWN) &&
               others_write(fd, &about, trust)) {
        result = refuse_writable(path, &about, NULL, err);
    } else if (S_ISDIR(about.st_mode)) {
        inside = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (inside >= 0)
            result = look_inside(inside, path, trust, err);
        else if (errno != ENOENT)
            result = refuse_step(path, err);
    }
    if (fd >= 0)
        close(fd);
    return result;
}

int trust_tree(const char *path, enum trust trust, struct error *err)
{
    if (trust_folder(path, trust, err))
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? refuse_step(path, err) : look_inside(fd, path, trust, err);
}

int trust_make(const char *path, enum trust trust, struct error *err)
{
    return dir_make_private(path, err) ? -1 : trust_folder(path, trust, err);
}
