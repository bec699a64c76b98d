/*
 * Shallow water on a mesh of triangles: what its parts share.
 *
 * Lengths in metres, times in seconds. The cells have no order in memory, as those of a
 * mesh that was refined, or read from a file of some generator.
 */
#ifndef MESH_H
#define MESH_H

#include <stdbool.h>
#include <stdint.h>

/* Water in a cell, per square metre; also what flows through a metre of edge. */
struct water {
    double depth;  /* m */
    double mx, my; /* momentum over density: depth times velocity */
    double dye;    /* depth times concentration: goes where the water goes */
};

/* An edge between two cells. The normal points from left to right and is as long as
 * the edge. */
struct edge {
    int left, right;
    double nx, ny;
};

/* An edge between a cell and the shore. The normal points to the shore. */
struct shore {
    int cell;
    double nx, ny;
};

struct point {
    double x, y;
};

struct mesh {
    long cells, edges, shores;
    double *area;         /* [cells], square metres */
    struct point *centre; /* [cells] */
    struct edge *edge;    /* [edges], in the order of their left cells */
    struct shore *shore;  /* [shores] */
};

struct flow {
    const struct mesh *mesh;
    struct water *water; /* [cells] */
    struct water
        *change;     /* [cells]: what flows in during a second, times square metres */
    double time;     /* s */
    double step;     /* s, the last one */
    double residual; /* m/s: root of the mean square of what depths changed by in it */
};

struct totals {
    double volume, dye; /* m^3 */
    double energy;      /* m^5/s^2: over density */
    double least_depth; /* m */
    double fastest;     /* m/s */
};

/* triangles.c: the corners of a square basin of `width` metres: rows x rows squares whose
 * inner corners are moved at random, each cut into two triangles. The caller frees both.
 */
struct triangles {
    long points, cells;
    struct point *point;
    int (*corner)[3]; /* [cells], counter-clockwise */
};

void triangles_make(struct triangles *triangles, long rows, double width, uint64_t seed,
                    bool ordered);
void triangles_release(struct triangles *triangles);

/* build.c: who is whose neighbour. The mesh owns its arrays and keeps nothing of the
 * triangles. */
void mesh_build(struct mesh *mesh, const struct triangles *triangles);
void mesh_release(struct mesh *mesh);
/* Whether the normals of every cell add up to nothing and the areas to the basin's. */
bool mesh_is_closed(const struct mesh *mesh, double width);

/* flow.c: a round dam of higher water in the middle of the basin breaks. */
void flow_start(struct flow *flow, const struct mesh *mesh, double width);
void flow_release(struct flow *flow);
/* One step of Euler's method; `courant` is the share of a cell that a wave may cross. */
void flow_advance(struct flow *flow, double courant);
void flow_totals(const struct flow *flow, struct totals *totals);

#endif
