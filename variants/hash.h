/* Identity of texts: kernels, object files. Not for keeping out an adversary. */
#ifndef VARIANTS_HASH_H
#define VARIANTS_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t word[2];
};
struct hash hash_begin(void);
void hash_add(struct hash *hash, const void *bytes, size_t length);
void hash_text(struct hash *hash,
               const char *text);        /* with its end, so that "a","b" is not "ab" */
char *hash_hex(const struct hash *hash); /* 32 digits; caller frees */

#endif
