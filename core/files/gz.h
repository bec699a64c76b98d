/* Files that may be compressed with gzip; zlib is included by gz.c alone. */
#ifndef CORE_BASE_GZ_H
#define CORE_BASE_GZ_H

#include <stddef.h>

struct buf;
struct error;

/* A file that is larger, or grows beyond this while it is expanded, is refused: no data
 * set of ours comes near, a document takes several times its text, and 1 MiB of gzip can
 * hold this much of nothing. */
#define GZ_LIMIT_BYTES ((size_t)1 << 28)

/* Appends the whole file as file_read does; what begins with the two bytes of gzip is
 * expanded, whatever its name. STATUS_INPUT where it is damaged, cut off, followed by
 * something else, or more than GZ_LIMIT_BYTES. */
int file_read_gz(const char *path, struct buf *out, struct error *err);
/* The same of a file that is believed: only the user's own (trust.h). */
int file_read_own_gz(const char *path, struct buf *out, struct error *err);

/* As file_write, compressed when the path ends in ".gz". The same bytes give the same
 * file: no name and no time are in it. */
int file_write_gz(const char *path, const void *bytes, size_t length, struct error *err);

/* Bytes in gzip's form, for those with no file of their own. `name` is what messages call
 * them. gz_expand gives at most `limit` bytes; several members one after the other are
 * one text. */
void gz_compress(const void *bytes, size_t length, struct buf *out);
int gz_expand(const void *bytes, size_t length, const char *name, size_t limit,
              struct buf *out, struct error *err);

#endif
