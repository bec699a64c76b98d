/* What the files inputs*.c share. Private to core/inputs. */
#ifndef CORE_OBSERVE_INPUTS_PARTS_H
#define CORE_OBSERVE_INPUTS_PARTS_H

#include <stdint.h>

#include "core/inputs/inputs.h"

enum { INPUTS_PAGE = 4096, INPUTS_HEAD_MAX = 1 << 20, INPUTS_BLOCK = 1 << 20 };
#define INPUTS_SCHEMA "inflight.inputs/1"

/* Four lanes of 64 bits, for speed: as FNV-1a, but by whole words. Not against an
 * adversary. */
struct inputs_hash {
    uint64_t lane[4];
};
struct inputs_hash inputs_hash_begin(void);
/* Pieces but the last are multiples of 32 bytes. */
void inputs_hash_add(struct inputs_hash *hash, const void *bytes, size_t length);
char *inputs_hash_text(const struct inputs_hash *hash); /* caller frees */

#endif
