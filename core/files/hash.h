/* Identity of texts: kernels, candidates, rules, object files. Not for keeping out an
 * adversary. */
#ifndef CORE_FILES_HASH_H
#define CORE_FILES_HASH_H

#include <stddef.h>
#include <stdint.h>

struct error;

struct hash {
    uint64_t word[2]; /* [0] is FNV-1a, 64 bit (Fowler, Noll, Vo), and stays so */
};
struct hash hash_begin(void);
void hash_add(struct hash *hash, const void *bytes, size_t length);
void hash_text(struct hash *hash,
               const char *text);        /* with its end, so that "a","b" is not "ab" */
char *hash_hex(const struct hash *hash); /* 32 digits; caller frees */
char *hash_hex_short(const struct hash *hash); /* word[0] alone: 16 digits */

/* Names and contents of the files of a folder, by name; `endings`: those whose name's
 * last letter is one of it, such as "ch" for .c and .h. What cannot be read counts as
 * empty. Returns the 32 digits; caller frees. */
char *hash_folder(const char *path, const char *endings);

/* SHA-256 through libmd: whether a file that somebody else keeps is still what it was. */

/* 64 lower-case hexadecimal digits; caller frees. */
char *sha256_hex(const void *bytes, size_t length);
/* Of a file as it is. STATUS_INPUT when it cannot be read. */
int sha256_file(const char *path, char **hex, struct error *err);

#endif
