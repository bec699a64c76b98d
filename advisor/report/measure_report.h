/* One kernel, one variant, all numbers: as text and as a document (inflight.measure/1).
 */
#ifndef ADVISOR_REPORT_MEASURE_REPORT_H
#define ADVISOR_REPORT_MEASURE_REPORT_H

#include "advisor/cli/layout.h"
#include "advisor/session/context.h"

void measure_text(const struct context *bench, const struct measurement *measurement,
                  struct layout *layout);
json_t *measure_json(const struct context *bench, const struct measurement *measurement);

/* Function, file, sizes; the machine; the environment. */
void measure_head(const struct context *bench, struct layout *layout);
/* The sections on traffic. */
void traffic_text(const struct traffic *traffic, struct layout *layout);

/* Parts of a kernel's description that show and the reports have in common. */

/* A list of objects: name, type, extent, bytes, contents, read, written. */
json_t *kernel_arrays_json(const struct kernel_view *view);

#endif
