/* Parts that the documents of all commands have in common. */
#ifndef ADVISOR_REPORT_PARTS_H
#define ADVISOR_REPORT_PARTS_H

#include "advisor/workbench.h"

/* Scalar parameters that have a value. */
json_t *report_sizes_json(const struct kernel_view *view);
json_t *report_kernel_json(const struct kernel *kernel);
json_t *report_machine_json(const struct workbench *bench);
json_t *report_compiler_json(const struct toolchain *toolchain);

/* report_closing.c: parts of the text. What was compared with the winner at the end, and
 * what was taken; nothing where nothing was compared or nothing was faster. */
void report_add_ties(const json_t *report, size_t width, struct buf *out);
/* Where the wall time went; nothing in documents of earlier versions. */
void report_add_time(const json_t *report, bool colour, size_t width, struct buf *out);
/* How often the rules behind the advice were right before; what of earlier sessions was
 * taken over. Nothing where there is nothing. */
void report_add_record(const json_t *report, bool colour, size_t width, struct buf *out);
void report_add_reused(const json_t *report, size_t width, struct buf *out);

#endif
