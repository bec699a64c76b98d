/* Structs as JSON: one table of fields per struct, from which it is written and read. */
#ifndef CORE_FILES_FIELDS_H
#define CORE_FILES_FIELDS_H

#include "core/files/json.h"

struct error;

enum field_type {
    FIELD_TEXT,    /* char *, NULL = unknown */
    FIELD_NUMBER,  /* double; 0 = unknown where low is 0 */
    FIELD_INTEGER, /* int; 0 = unknown where low is 0 */
    FIELD_BOOL,
    FIELD_QUANTITY
};

struct field {
    const char *key;
    enum field_type type;
    size_t offset;
    double low, high; /* range of the value; unused for texts and bools */
    bool required;    /* else missing or null = unknown (bool: false) */
};

struct field_list {
    const struct field *field;
    size_t nr;
    const char *more; /* keys of the object that are not fields, space before each */
};

void fields_write(const struct field_list *list, const void *from, json_t *object);
/* Refuses unknown keys. What was read stays with the caller to release, also on failure.
 */
int fields_read(const struct field_list *list, const struct json_at *at, void *to,
                struct error *err);

#endif
