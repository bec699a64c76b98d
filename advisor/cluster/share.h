/*
 * What the searches of kinds are told of each other while they run: their winners, to be
 * measured on the others' nodes, and what each may use of --node-hours.
 */
#ifndef ADVISOR_SHARE_H
#define ADVISOR_SHARE_H

#include "core/files/json.h"

struct kind;
struct kinds;

/* Reads what each search says by now, and writes to each what is new to it (KIND_TOLD).
 * `node_s`: that all may use together; infinite = no limit. */
void share_tell(struct kinds *kinds, double node_s);

/* Pure: the same to each search that goes on, but what one has used already is its own;
 * what ended ones have used is gone. may[i] of those that ended is 0. */
void share_node_s(double node_s, const struct kinds *kinds, double *may);
/* Pure: KIND_TOLD for `kind`, which may use `may` node-seconds. Caller json_decref's. */
json_t *share_json(const struct kinds *kinds, const struct kind *kind, double may);

#endif
