/* Environments as documents, and compared for what one process can be run under. */
#ifndef SEARCH_ENVIRONMENT_H
#define SEARCH_ENVIRONMENT_H

#include "core/files/json.h"
#include "search/space/space.h"

struct error;

/* Alike but for start state and background: what one process can be run under. */
bool environments_same_run(const struct environment *a, const struct environment *b);

/* The object "environment" of inflight.measurement/1; what is as by default beside pages,
 * start and background is left out. */
json_t *environment_to_json(const struct environment *environment);
int environment_from_json(const struct json_at *at, struct environment *environment,
                          struct error *err);

#endif
