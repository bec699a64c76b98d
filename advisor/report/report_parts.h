/* Parts that the documents of all commands have in common. */
#ifndef ADVISOR_REPORT_PARTS_H
#define ADVISOR_REPORT_PARTS_H

#include "advisor/session/context.h"

/* Scalar parameters that have a value. */
json_t *report_sizes_json(const struct kernel_view *view);
json_t *report_kernel_json(const struct kernel *kernel);
json_t *report_machine_json(const struct context *bench);
json_t *report_compiler_json(const struct toolchain *toolchain);

#endif
