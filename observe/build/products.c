#define _XOPEN_SOURCE 700 /* utimensat */
#include "observe/build/products.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base.h"
#include "observe/build/build_watch.h"

enum product { PRODUCT_NONE, PRODUCT_OBJECT, PRODUCT_OTHER };

static enum product product_of(const char *path)
{
    /* e_type stands behind e_ident in files of either size. */
    unsigned char start[EI_NIDENT + sizeof(Elf64_Half)] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = fd >= 0 ? read(fd, start, sizeof(start)) : 0;
    Elf64_Half type;
    if (fd >= 0)
        close(fd);
    memcpy(&type, start + EI_NIDENT, sizeof(type));
    if (length == sizeof(start) && memcmp(start, ELFMAG, SELFMAG) == 0)
        return type == ET_REL ? PRODUCT_OBJECT : PRODUCT_OTHER;
    return length >= 8 && memcmp(start, "!<arch>\n", 8) == 0 ? PRODUCT_OTHER
                                                             : PRODUCT_NONE;
}

/* Of every file below that is a product; true ends it. */
typedef bool product_visit(const char *path, enum product product,
                           const struct stat *about, void *data);

static bool walk(const char *folder, product_visit *visit, void *data)
{
    DIR *dir = opendir(folder);
    bool done = false;
    for (struct dirent *one; dir && !done && (one = readdir(dir));) {
        struct stat about;
        char *path = path_join(folder, one->d_name);
        if (!strcmp(one->d_name, ".") || !strcmp(one->d_name, "..") ||
            !strcmp(one->d_name, ".git") || lstat(path, &about)) {
            free(path);
            continue;
        }
        if (S_ISDIR(about.st_mode)) {
            done = walk(path, visit, data);
        } else if (S_ISREG(about.st_mode)) {
            enum product product = product_of(path);
            done = product != PRODUCT_NONE && visit(path, product, &about, data);
        }
        free(path);
    }
    if (dir)
        closedir(dir);
    return done;
}

struct newer {
    const struct timespec *than;
    char *found;
};

static bool is_newer(const char *path, enum product product, const struct stat *about,
                     void *data)
{
    struct newer *newer = data;
    bool later = about->st_mtim.tv_sec > newer->than->tv_sec ||
                 (about->st_mtim.tv_sec == newer->than->tv_sec &&
                  about->st_mtim.tv_nsec >= newer->than->tv_nsec);
    if (product == PRODUCT_OBJECT && later)
        newer->found = xstrdup(path);
    return newer->found != NULL;
}

char *products_newer(const char *folder, const struct timespec *than)
{
    struct newer newer = {.than = than};
    walk(folder, is_newer, &newer);
    if (!newer.found)
        return NULL;
    char *relative = xstrdup(newer.found + strlen(folder) + 1);
    free(newer.found);
    return relative;
}

/* Older than whatever a source can be; 0 means "never" to some. */
static bool set_back(const char *path, enum product product, const struct stat *about,
                     void *data)
{
    const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    (void)product;
    (void)about;
    if (utimensat(AT_FDCWD, path, long_ago, 0) == 0)
        return false;
    fail(data, STATUS_FAILED, "cannot set the time of '%s': %s", path, strerror(errno));
    return true;
}

int build_outdate(const char *folder, struct error *err)
{
    struct error why = {0};
    return walk(folder, set_back, &why) ? fail_as(err, &why) : 0;
}
