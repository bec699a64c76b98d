#define _DEFAULT_SOURCE /* <sha2.h> names u_int types */
#include "core/files/hash.h"

#include <sha2.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/fs.h"

char *sha256_hex(const void *bytes, size_t length)
{
    char *hex = xcalloc(SHA256_DIGEST_STRING_LENGTH, 1);
    SHA256Data(bytes, length, hex);
    return hex;
}

int sha256_file(const char *path, char **hex, struct error *err)
{
    struct buf text = {0};
    int status = file_read(path, &text, err);
    *hex = status ? NULL : sha256_hex(buf_str(&text), text.length);
    buf_release(&text);
    return status;
}
