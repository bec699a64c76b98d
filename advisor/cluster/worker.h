/* inflight worker FOLDER: judges variants on this machine for a search elsewhere. */
#ifndef ADVISOR_WORKER_H
#define ADVISOR_WORKER_H

#include "core/files/json.h"

struct context;
struct error;

/* What tells builds of this machine, and the instruction sets that the kernel is compiled
 * for: {"architecture", "vendor", "family", "model", "name", "isa"}. */
int node_processor_json(struct context *bench, json_t **out, struct error *err);

#endif
