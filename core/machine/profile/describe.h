/* Private to core/machine: headings and lines of a description. */
#ifndef CORE_MACHINE_DESCRIBE_H
#define CORE_MACHINE_DESCRIBE_H

#include "core/machine/machine.h"

struct buf;

enum { DESCRIBE_WIDTH = 80, DESCRIBE_INDENT = 18 };

/* "measured", "table", "predicted", "told" ... */
const char *describe_origin(enum provenance provenance);

/* Tables, one row for each level and number of cores of which something is known; nothing
 * at all when nothing is. */
void describe_bandwidths(const struct machine *machine, struct buf *out);
void describe_arithmetic(const struct machine *machine, struct buf *out);

#endif
