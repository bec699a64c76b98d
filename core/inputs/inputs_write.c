#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base.h"
#include "core/inputs/inputs_parts.h"

/* What stays free on the disk: other programs want to write, too. */
static const double margin_bytes = 256 << 20;

struct inputs_file {
    char *target, *folder; /* the final name; where it lies */
    char *temporary;       /* its name meanwhile; NULL = it has none and goes with us */
    char *open_path;       /* to read it by */
    int fd;
    unsigned long long end; /* of what was written */
};

/* ---- hash ---- */

struct inputs_hash inputs_hash_begin(void)
{
    return (struct inputs_hash){{0xcbf29ce484222325u, 0x84222325cbf29ce4u,
                                 0x9ce484222325cbf2u, 0x2325cbf29ce48422u}};
}

static uint64_t stir(uint64_t lane, uint64_t word)
{
    lane = (lane ^ word) * 0x9e3779b97f4a7c15u;
    return lane ^ lane >> 29;
}

void inputs_hash_add(struct inputs_hash *hash, const void *bytes, size_t length)
{
    const char *at = bytes;
    uint64_t word[4];

    for (; length >= sizeof(word); at += sizeof(word), length -= sizeof(word)) {
        memcpy(word, at, sizeof(word));
        for (int i = 0; i < 4; i++)
            hash->lane[i] = stir(hash->lane[i], word[i]);
    }
    if (!length)
        return;
    memset(word, 0, sizeof(word));
    memcpy(word, at, length);
    for (int i = 0; i < 4; i++)
        hash->lane[i] = stir(hash->lane[i], word[i] + length);
}

char *inputs_hash_text(const struct inputs_hash *hash)
{
    uint64_t all = 0;

    for (int i = 0; i < 4; i++)
        all = stir(all, hash->lane[i]);
    return xasprintf("%016llx", (unsigned long long)all);
}

/* ---- begin ---- */

/* Without a name, where the file system can do that: then nothing is left whatever ends
 * us. */
static void open_file(struct inputs_file *file)
{
    file->fd = open(file->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
    if (file->fd >= 0)
        return;
    file->temporary = xasprintf("%s.%ld.tmp", file->target, (long)getpid());
    file->fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

int inputs_begin(const char *path, struct inputs_file **out, struct error *err)
{
    struct inputs_file *file;

    *out = NULL;
    if (dir_exists(path))
        return fail(err, STATUS_USAGE, "'%s' is a folder; name a file (-o)", path);
    file = xcalloc(1, sizeof(*file));
    file->target = path_absolute(path);
    file->folder = path_folder(file->target);
    file->end = INPUTS_HEAD_MAX;
    open_file(file);
    if (file->fd < 0) {
        fail(err, STATUS_FAILED, "cannot write '%s': %s", path, strerror(errno));
        inputs_abandon(file);
        return -1;
    }
    file->open_path = xasprintf("/proc/%ld/fd/%d", (long)getpid(), file->fd);
    *out = file;
    return 0;
}

void inputs_abandon(struct inputs_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    free(file->target);
    free(file->folder);
    free(file->open_path);
    free(file);
}

double inputs_room(const struct inputs_file *file)
{
    struct statvfs disk;

    if (fstatvfs(file->fd, &disk))
        return 0;
    return (double)disk.f_bavail * (double)disk.f_frsize - margin_bytes;
}

const char *inputs_path(const struct inputs_file *file)
{
    return file->open_path;
}

/* ---- arrays ---- */

static int write_at(int fd, const char *bytes, size_t length, unsigned long long offset)
{
    while (length > 0) {
        ssize_t done = pwrite(fd, bytes, length, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        bytes += done;
        length -= (size_t)done;
        offset += (unsigned long long)done;
    }
    return 0;
}

static bool is_zero(const char *bytes, size_t length)
{
    return length == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0);
}

/* Pages of zeros are left out: the file ends behind them all the same. */
static int write_pages(const struct inputs_file *file, const char *block, size_t length,
                       unsigned long long at)
{
    for (size_t page = 0; page < length;) {
        size_t end = page;

        while (end < length &&
               !is_zero(block + end,
                        length - end < INPUTS_PAGE ? length - end : INPUTS_PAGE))
            end += INPUTS_PAGE;
        if (end > length)
            end = length;
        if (end > page && write_at(file->fd, block + page, end - page, at + page))
            return -1;
        page = end > page ? end : page + INPUTS_PAGE;
    }
    return 0;
}

int inputs_add(struct inputs_file *file, unsigned long long bytes,
               inputs_read_bytes *read, void *data, struct inputs_array *array,
               struct error *err)
{
    struct inputs_hash hash = inputs_hash_begin();
    char *block = xcalloc(1, INPUTS_BLOCK);
    unsigned long long done = 0;
    int status = 0;

    for (; status == 0 && done < bytes; done += INPUTS_BLOCK) {
        size_t length = bytes - done < INPUTS_BLOCK ? bytes - done : INPUTS_BLOCK;

        if (spawn_interrupted())
            status = fail(err, STATUS_FAILED, "interrupted");
        else if (read(data, done, block, length))
            status = fail(err, STATUS_INPUT, "'%s': the memory of the array ends early",
                          array->name);
        else if (write_pages(file, block, length, file->end + done))
            status = fail(err, STATUS_MISSING, "cannot write '%s': %s", file->target,
                          strerror(errno));
        inputs_hash_add(&hash, block, length);
    }
    free(block);
    array->offset = file->end;
    array->bytes = bytes;
    array->hash = inputs_hash_text(&hash);
    file->end += (bytes + INPUTS_PAGE - 1) / INPUTS_PAGE * INPUTS_PAGE;
    if (!status && ftruncate(file->fd, (off_t)file->end))
        status = fail(err, STATUS_MISSING, "cannot write '%s': %s", file->target,
                      strerror(errno));
    return status;
}

/* ---- end ---- */

static int write_head(const struct inputs_file *file, const struct inputs *inputs,
                      struct error *err)
{
    json_t *document = inputs_json(inputs);
    char *text = json_text(document);
    size_t length = strlen(text);
    int status = 0;

    if (length >= INPUTS_HEAD_MAX)
        status = fail(err, STATUS_FAILED, "the list of what was captured is too long");
    else if (write_at(file->fd, text, length, 0))
        status = fail(err, STATUS_FAILED, "cannot write '%s': %s", file->target,
                      strerror(errno));
    free(text);
    json_decref(document);
    return status;
}

/* A file without a name gets a temporary one first: links replace nothing. */
static int give_name(struct inputs_file *file)
{
    if (!file->temporary) {
        file->temporary = xasprintf("%s.%ld.tmp", file->target, (long)getpid());
        if (linkat(AT_FDCWD, file->open_path, AT_FDCWD, file->temporary,
                   AT_SYMLINK_FOLLOW))
            return -1;
    }
    return rename(file->temporary, file->target);
}

int inputs_end(struct inputs_file *file, const struct inputs *inputs, struct error *err)
{
    int status = write_head(file, inputs, err);

    if (!status && (ftruncate(file->fd, (off_t)file->end) || give_name(file)))
        status = fail(err, STATUS_FAILED, "cannot write '%s': %s", file->target,
                      strerror(errno));
    if (!status) {
        free(file->temporary);
        file->temporary = NULL;
    }
    inputs_abandon(file);
    return status;
}
