#include "core/files/gz.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/files/fs.h"

/* zlib.h: add 16 to the logarithm of the window for gzip's header and checksum. */
enum { gzip_window = 15 + 16, block_size = 65536 };

static bool is_gzip(const unsigned char *bytes, size_t length)
{
    return length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b; /* RFC 1952, 2.3.1 */
}

/* As many of the bytes as one call takes. */
static void feed(z_stream *stream, const unsigned char *bytes, size_t length)
{
    size_t all = length < UINT_MAX ? length : UINT_MAX;
    stream->next_in = (Bytef *)bytes; /* zlib does not write to it */
    stream->avail_in = (uInt)all;
}

void gz_compress(const void *bytes, size_t length, struct buf *out)
{
    const unsigned char *from = bytes, *end = from + length;
    unsigned char block[block_size];
    z_stream stream = {0};
    int status = Z_OK;

    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        abort(); /* out of memory */
    while (status != Z_STREAM_END) {
        feed(&stream, from, (size_t)(end - from));
        bool last = (size_t)(end - from) == stream.avail_in;
        stream.next_out = block;
        stream.avail_out = sizeof(block);
        status = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
        buf_add_n(out, block, sizeof(block) - stream.avail_out);
        from = stream.next_in;
    }
    deflateEnd(&stream);
}

/* A text being expanded. */
struct expansion {
    z_stream stream;
    const unsigned char *from, *end; /* what is left */
    const char *name;
    size_t limit, start; /* `out` may grow to start + limit */
    struct buf *out;
};

static int damaged(const struct expansion *x, int status, struct error *err)
{
    if (status == Z_MEM_ERROR)
        abort();
    if (status == Z_BUF_ERROR) /* more was asked for, and nothing is left */
        return fail(err, STATUS_INPUT,
                    "'%s' is cut off: its compressed data has no end; fetch or copy it "
                    "again",
                    x->name);
    return fail(
        err, STATUS_INPUT,
        "'%s' is damaged: its compressed data cannot be expanded; fetch or copy it "
        "again",
        x->name);
}

static int expand_member(struct expansion *x, struct error *err)
{
    unsigned char block[block_size];
    int status = Z_OK;

    while (status != Z_STREAM_END) {
        feed(&x->stream, x->from, (size_t)(x->end - x->from));
        x->stream.next_out = block;
        x->stream.avail_out = sizeof(block);
        status = inflate(&x->stream, Z_NO_FLUSH);
        if (status != Z_STREAM_END && status != Z_OK)
            return damaged(x, status, err);
        x->from = x->stream.next_in;
        size_t got = sizeof(block) - x->stream.avail_out;
        if (got > x->limit - (x->out->length - x->start))
            return fail(err, STATUS_INPUT,
                        "'%s' holds more than %zu KiB when expanded, the most that is "
                        "read from a compressed file",
                        x->name, x->limit >> 10);
        buf_add_n(x->out, block, got);
    }
    return 0;
}

int gz_expand(const void *bytes, size_t length, const char *name, size_t limit,
              struct buf *out, struct error *err)
{
    const unsigned char *from = bytes;
    struct expansion x = {.from = from,
                          .end = from + length,
                          .name = name,
                          .limit = limit,
                          .start = out->length,
                          .out = out};
    int result = 0;

    if (inflateInit2(&x.stream, gzip_window) != Z_OK)
        abort(); /* out of memory */
    do {
        inflateReset(&x.stream);
        result = expand_member(&x, err);
    } while (!result && is_gzip(x.from, (size_t)(x.end - x.from)));
    inflateEnd(&x.stream);
    if (!result && x.from != x.end)
        result = fail(err, STATUS_INPUT,
                      "'%s' is damaged: %zu bytes follow its "
                      "compressed data",
                      name, (size_t)(x.end - x.from));
    if (result)
        buf_truncate(out, x.start);
    return result;
}

static int read_gz(const char *path, bool own, struct buf *out, struct error *err)
{
    struct buf raw = {0};
    int result = (own ? file_read_own : file_read_max)(path, GZ_LIMIT_BYTES, &raw, err);

    if (!result && is_gzip((const unsigned char *)buf_str(&raw), raw.length))
        result = gz_expand(raw.data, raw.length, path, GZ_LIMIT_BYTES, out, err);
    else if (!result)
        buf_add_n(out, buf_str(&raw), raw.length);
    buf_release(&raw);
    return result;
}

int file_read_gz(const char *path, struct buf *out, struct error *err)
{
    return read_gz(path, false, out, err);
}

int file_read_own_gz(const char *path, struct buf *out, struct error *err)
{
    return read_gz(path, true, out, err);
}

static bool is_named_gz(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".gz");
}

int file_write_gz(const char *path, const void *bytes, size_t length, struct error *err)
{
    struct buf packed = {0};
    int result;

    if (!is_named_gz(path))
        return file_write(path, bytes, length, err);
    gz_compress(bytes, length, &packed);
    result = file_write(path, packed.data, packed.length, err);
    buf_release(&packed);
    return result;
}
