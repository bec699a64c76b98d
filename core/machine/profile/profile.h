/* Private to core/machine: one table of fields per struct of a profile. */
#ifndef CORE_MACHINE_PROFILE_H
#define CORE_MACHINE_PROFILE_H

#include "core/files/fields.h"

struct error;
struct machine;

#define MACHINE_SCHEMA "inflight.machine/1"

extern const struct field_list machine_fields, level_fields, limit_fields, pages_fields,
    curve_fields, point_fields, memory_fields;

/* What must be true beyond the range of each value; `machine` was read from `top`. */
int profile_check(const struct json_at *top, const struct machine *machine,
                  struct error *err);

/* machine->core, by its microarchitecture. */
int machine_find_core(struct machine *machine, struct error *err);
int machine_read(const char *path, bool shipped, struct machine *machine,
                 struct error *err);

#endif
