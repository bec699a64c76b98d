/* The sweep over the edges: what flows from cell to cell. */
#ifndef SWEEP_H
#define SWEEP_H

#include "mesh.h"

/* Adds what flows through each edge in a second to `change` of its right cell, and takes
 * it from that of its left one: Rusanov's flux of the shallow water equations. Depths
 * are positive. */
void sweep_edges(long edges, const struct edge *restrict edge,
                 const struct water *restrict water, struct water *restrict change);

/* The same for walls: water presses, and nothing flows. */
void sweep_shores(long shores, const struct shore *restrict shore,
                  const struct water *restrict water, struct water *restrict change);

#endif
