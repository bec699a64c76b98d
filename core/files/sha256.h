/* SHA-256 through libmd: whether a file that somebody else keeps is still what it was. */
#ifndef CORE_BASE_SHA256_H
#define CORE_BASE_SHA256_H

#include <stddef.h>

#include "core/base/error.h"

/* 64 lower-case hexadecimal digits; caller frees. */
char *sha256_hex(const void *bytes, size_t length);
/* Of a file as it is. STATUS_INPUT when it cannot be read. */
int sha256_file(const char *path, char **hex, struct error *err);

#endif
