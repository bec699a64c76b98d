/* Private to core/store: between the files of records. */
#ifndef CORE_STORE_RECORD_PARTS_H
#define CORE_STORE_RECORD_PARTS_H

#include <stddef.h>

/* Of the entries of a document, in their order: where its checksum stands, and what it
 * should be (caller frees). */
struct record_checksum {
    size_t offset;
    char *right;
};
/* How many entries were found, at most `most`. */
size_t record_checksums(const char *text, struct record_checksum *out, size_t most);

#endif
