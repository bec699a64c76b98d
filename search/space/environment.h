/* The environment of a candidate as text and JSON. Private to search/; the type is in
 * search.h. */
#ifndef SEARCH_ENVIRONMENT_H
#define SEARCH_ENVIRONMENT_H

#include "search/search.h"

/* Alike but for start state and background: what one process can be run under. */
bool environments_same_run(const struct environment *a, const struct environment *b);

/* The object "environment" of inflight.measurement/1; what is as by default beside pages,
 * start and background is left out. */
json_t *environment_to_json(const struct environment *environment);
int environment_from_json(const struct json_at *at, struct environment *environment,
                          struct error *err);

#endif
