/* What a report says of the nodes that judged its variants (--on). */
#ifndef ADVISOR_REPORT_NODES_H
#define ADVISOR_REPORT_NODES_H

#include "core/files/json.h"

/* Nodes that are slow by themselves, by the kernel as written, beyond the noise; of three
 * nodes and more. NULL = none is. Caller frees. */
char *report_slow_node(const json_t *report);
/* How far the nodes differ; NULL = fewer than two were timed. Caller frees. */
char *report_scatter(const json_t *report);

#endif
