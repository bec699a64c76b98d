#define _DEFAULT_SOURCE /* <sha2.h> names u_int types */
#include "core/files/hash.h"

#include <dirent.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/fs.h"

struct hash hash_begin(void)
{
    /* FNV-1a's offset basis and the digits of pi. */
    return (struct hash){{0xcbf29ce484222325u, 0x243f6a8885a308d3u}};
}

/* Two lanes of FNV-1a; the second one is turned, so that they differ in more than the
 * start. */
void hash_add(struct hash *hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < length; i++) {
        uint64_t *word = hash->word;

        word[0] = (word[0] ^ byte[i]) * 0x100000001b3u;
        word[1] = ((word[1] << 29 | word[1] >> 35) ^ byte[i]) * 0x9e3779b97f4a7c15u;
    }
}

void hash_text(struct hash *hash, const char *text)
{
    hash_add(hash, text, strlen(text) + 1);
}

char *hash_hex(const struct hash *hash)
{
    return xasprintf("%016" PRIx64 "%016" PRIx64, hash->word[0], hash->word[1]);
}

char *hash_hex_short(const struct hash *hash)
{
    return xasprintf("%016" PRIx64, hash->word[0]);
}

static bool is_wanted(const char *name, const char *endings)
{
    size_t length = strlen(name);

    return length > 2 && name[length - 2] == '.' && strchr(endings, name[length - 1]);
}

static void hash_file(struct hash *hash, const char *dir, const char *name)
{
    char *path = path_join(dir, name);
    struct buf content = {0};

    file_read(path, &content, NULL);
    hash_text(hash, name);
    hash_add(hash, buf_str(&content), content.length);
    buf_release(&content);
    free(path);
}

char *hash_folder(const char *path, const char *endings)
{
    struct dirent **entry = NULL;
    struct hash hash = hash_begin();
    int nr = scandir(path, &entry, NULL, alphasort);

    for (int i = 0; i < nr; i++) {
        if (is_wanted(entry[i]->d_name, endings))
            hash_file(&hash, path, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return hash_hex(&hash);
}

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
