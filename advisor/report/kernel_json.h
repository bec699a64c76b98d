/* Parts of a kernel's description that show and the reports have in common. */
#ifndef ADVISOR_KERNEL_JSON_H
#define ADVISOR_KERNEL_JSON_H

#include "core/files/json.h"
#include "variants/kernel/kernel_view.h"

/* A list of objects: name, type, extent, bytes, contents, read, written. */
json_t *kernel_arrays_json(const struct kernel_view *view);

#endif
