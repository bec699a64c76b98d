/* Contents that were captured from an application: where they lie, and what range their
 * numbers have. */
#define _GNU_SOURCE /* pread with 64-bit offsets on every system */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "variants/directives/contents.h"

/* ---- PATH without commas, parentheses and blanks ---- */

static bool is_plain(char c)
{
    return isalnum((unsigned char)c) || strchr("/._-", c);
}

static void captured_add_path(struct buf *out, const char *path)
{
    for (; *path; path++)
        buf_addf(out, is_plain(*path) ? "%c" : "%%%02X", (unsigned char)*path);
}

static char *decode_path(const char *text)
{
    struct buf path = {0};

    for (; *text; text++) {
        const char digits[] = {text[0], text[0] ? text[1] : 0, 0};

        if (*text != '%' || !isxdigit((unsigned char)digits[1]) ||
            !isxdigit((unsigned char)text[2])) {
            buf_add_n(&path, text, 1);
            continue;
        }
        const char code[] = {text[1], text[2], 0};
        char byte = (char)strtoul(code, NULL, 16);

        buf_add_n(&path, &byte, 1);
        text += 2;
    }
    return buf_detach(&path);
}

/* ---- in and out ---- */

static bool read_number(const char *text, unsigned long long *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && !errno;
}

int captured_read(const struct strvec *args, const char *text, struct contents *contents,
                  struct error *err)
{
    unsigned long long offset, records, place, pages;

    if (!read_number(args->v[1], &offset) || !read_number(args->v[2], &records) ||
        !read_number(args->v[3], &place) || !read_number(args->v[4], &pages) ||
        records > INT64_MAX || strlen(args->v[5]) >= sizeof(contents->captured->hash))
        return fail(err, STATUS_INPUT,
                    "'%s' is written by 'inflight' for --inputs and by nobody else",
                    text);
    contents->captured = xcalloc(1, sizeof(*contents->captured));
    *contents->captured = (struct captured){.offset = offset,
                                            .records = (long long)records,
                                            .place = (unsigned long)place,
                                            .huge_pages = pages != 0,
                                            .ranged = -1};
    memcpy(contents->captured->hash, args->v[5], strlen(args->v[5]));
    for (size_t i = 6; i < args->nr; i++) {
        struct captured *captured = contents->captured;
        size_t half = (args->nr - 6) / 2, at = i - 6;

        if (args->nr % 2 || !read_number(args->v[i], &records) || records > INT64_MAX)
            return fail(err, STATUS_INPUT, "'%s' is not a number of rows", args->v[i]);
        if (at < half)
            captured->rows[at] = (long long)records;
        else
            captured->spare[at - half] = (long long)records;
        captured->row_nr = half;
    }
    contents->file = decode_path(args->v[0]);
    return 0;
}

void captured_add(struct buf *out, const struct contents *contents, bool rows)
{
    const struct captured *captured = contents->captured;

    buf_add(out, "captured(");
    captured_add_path(out, contents->file);
    buf_addf(out, ",%llu,%lld,%lu,%d,%s", captured->offset, captured->records,
             captured->place, captured->huge_pages, captured->hash);
    for (size_t i = 0; rows && i < captured->row_nr; i++)
        buf_addf(out, ",%lld", captured->rows[i]);
    for (size_t i = 0; rows && i < captured->row_nr; i++)
        buf_addf(out, ",%lld", captured->spare[i]);
    buf_add(out, ")");
}

/* ---- what is in it ---- */

struct ranging {
    const struct captured_shape *shape;
    long long low, high;
};

static long long number_at(const struct captured_shape *shape, const char *at)
{
    bool is_signed = shape->kind == 'i';

#define NUMBER(type, same)                                                               \
    if (shape->bytes == sizeof(type)) {                                                  \
        type value;                                                                      \
        memcpy(&value, at, sizeof(value));                                               \
        return is_signed ? (long long)(same)value : (long long)value;                    \
    }
    NUMBER(uint8_t, int8_t)
    NUMBER(uint16_t, int16_t)
    NUMBER(uint32_t, int32_t)
    NUMBER(uint64_t, int64_t)
#undef NUMBER
    return 0;
}

/* `nr` numbers from the number `first` on, of records that begin at `bytes`. */
static void range_block(struct ranging *ranging, const char *bytes, size_t nr)
{
    const struct captured_shape *shape = ranging->shape;

    for (size_t i = 0; i < nr; i++) {
        long long number =
            number_at(shape, bytes + i / shape->inside * shape->record_bytes +
                                 shape->offset + i % shape->inside * shape->inside_bytes);

        if (number < ranging->low)
            ranging->low = number;
        if (number > ranging->high)
            ranging->high = number;
    }
}

static bool read_block(int fd, char *bytes, size_t length, unsigned long long offset)
{
    while (length > 0) {
        ssize_t got = pread(fd, bytes, length, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        length -= (size_t)got;
        offset += (size_t)got;
    }
    return true;
}

static bool range_file(struct ranging *ranging, int fd, unsigned long long offset,
                       long long length)
{
    const struct captured_shape *shape = ranging->shape;
    size_t records = ((size_t)1 << 20) / shape->record_bytes + 1;
    size_t at_once = records * shape->inside;
    char *block = xcalloc(records, shape->record_bytes);
    bool good = fd >= 0;

    for (size_t left = (size_t)length; good && left > 0;) {
        size_t nr = left < at_once ? left : at_once;
        size_t bytes = (nr + shape->inside - 1) / shape->inside * shape->record_bytes;

        good = read_block(fd, block, bytes, offset);
        if (good)
            range_block(ranging, block, nr);
        offset += bytes;
        left -= nr;
    }
    free(block);
    return good;
}

bool captured_range(const struct contents *contents, const struct captured_shape *shape,
                    long long length, long long *low, long long *high)
{
    struct captured *captured = contents->captured;
    struct ranging ranging = {shape, INT64_MAX, INT64_MIN};

    if (!captured || shape->kind == 'f' || shape->kind == 'r' || length < 0 ||
        length > captured->records * (long long)shape->inside)
        return false;
    if (captured->ranged != length && length > 0) {
        int fd = open(contents->file, O_RDONLY | O_CLOEXEC);
        bool good = range_file(&ranging, fd, captured->offset, length);

        if (fd >= 0)
            close(fd);
        if (!good)
            return false;
        captured->ranged = length;
        captured->low = ranging.low;
        captured->high = ranging.high;
    }
    *low = length ? captured->low : 0;
    *high = length ? captured->high : 0;
    return true;
}

bool captured_number(const struct contents *contents, const struct captured_shape *shape,
                     long long index, long long *value)
{
    const struct captured *captured = contents->captured;
    char number[sizeof(long long)];

    if (!captured || (shape->kind != 'i' && shape->kind != 'u') || shape->inside != 1 ||
        shape->bytes > sizeof(number) || index < 0 || index >= captured->records)
        return false;
    int fd = open(contents->file, O_RDONLY | O_CLOEXEC);
    bool good =
        fd >= 0 && read_block(fd, number, shape->bytes,
                              captured->offset + shape->offset +
                                  (unsigned long long)index * shape->record_bytes);
    if (fd >= 0)
        close(fd);
    if (good)
        *value = number_at(shape, number);
    return good;
}
