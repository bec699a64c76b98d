/* Private to core/machine: one table of fields per struct, from which profiles are both
 * written and read. */
#ifndef CORE_MACHINE_PROFILE_H
#define CORE_MACHINE_PROFILE_H

#include "core/files/json.h"

struct error;
struct machine;

#define MACHINE_SCHEMA "inflight.machine/1"

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

extern const struct field_list machine_fields, level_fields, limit_fields, pages_fields,
    curve_fields, point_fields, memory_fields;

void fields_write(const struct field_list *list, const void *from, json_t *object);
/* Refuses unknown keys. What was read stays with the caller to release, also on failure.
 */
int fields_read(const struct field_list *list, const struct json_at *at, void *to,
                struct error *err);

/* What must be true beyond the range of each value; `machine` was read from `top`. */
int profile_check(const struct json_at *top, const struct machine *machine,
                  struct error *err);

/* machine->core, by its microarchitecture. */
int machine_find_core(struct machine *machine, struct error *err);
int machine_read(const char *path, bool shipped, struct machine *machine,
                 struct error *err);

#endif
