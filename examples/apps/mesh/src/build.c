/*
 * From corners to neighbours: two cells that have a side in common get an edge.
 *
 * Every side is kept in a chain that begins at the lower of its two corners, until the
 * cell on its other side comes by.
 */
#include <math.h>
#include <stdlib.h>

#include "mesh.h"

#include "common/app.h"

struct side {
    int high;   /* the higher corner */
    int next;   /* side with the same lower corner, -1 = the last */
    int cell;   /* the first cell that has it */
    int corner; /* where it begins in that cell: 0, 1, 2 */
    int right;  /* the second cell that has it, -1 = none */
};

struct sides {
    long nr;
    struct side *side; /* in the order of their first cells */
    int *first;        /* [points]: where the chain begins, -1 = none */
};

static struct side *side_find(const struct sides *sides, int low, int high)
{
    for (int s = sides->first[low]; s >= 0; s = sides->side[s].next)
        if (sides->side[s].high == high)
            return &sides->side[s];
    return NULL;
}

static void side_add(struct sides *sides, const struct triangles *triangles, int cell,
                     int corner)
{
    int a = triangles->corner[cell][corner],
        b = triangles->corner[cell][(corner + 1) % 3];
    int low = a < b ? a : b, high = a < b ? b : a;
    struct side *found = side_find(sides, low, high);

    if (found) {
        found->right = cell;
        return;
    }
    sides->side[sides->nr] = (struct side){.high = high,
                                           .next = sides->first[low],
                                           .cell = cell,
                                           .corner = corner,
                                           .right = -1};
    sides->first[low] = (int)sides->nr++;
}

static void sides_find(struct sides *sides, const struct triangles *triangles)
{
    sides->nr = 0;
    sides->side = app_array((size_t)(3 * triangles->cells), sizeof(*sides->side));
    sides->first = app_array((size_t)triangles->points, sizeof(*sides->first));
    for (long p = 0; p < triangles->points; p++)
        sides->first[p] = -1;
    for (long c = 0; c < triangles->cells; c++)
        for (int corner = 0; corner < 3; corner++)
            side_add(sides, triangles, (int)c, corner);
}

/* Normals as long as the side, to the right of the way from corner to corner: outwards,
 * since corners go counter-clockwise. */
static void edges_make(struct mesh *mesh, const struct sides *sides,
                       const struct triangles *triangles)
{
    for (long s = 0; s < sides->nr; s++) {
        const struct side *side = &sides->side[s];
        const int *corner = triangles->corner[side->cell];
        const struct point *a = &triangles->point[corner[side->corner]],
                           *b = &triangles->point[corner[(side->corner + 1) % 3]];
        double nx = b->y - a->y, ny = a->x - b->x;

        if (side->right >= 0)
            mesh->edge[mesh->edges++] = (struct edge){side->cell, side->right, nx, ny};
        else
            mesh->shore[mesh->shores++] = (struct shore){side->cell, nx, ny};
    }
}

static void cells_make(struct mesh *mesh, const struct triangles *triangles)
{
    for (long i = 0; i < mesh->cells; i++) {
        const struct point *a = &triangles->point[triangles->corner[i][0]],
                           *b = &triangles->point[triangles->corner[i][1]],
                           *c = &triangles->point[triangles->corner[i][2]];

        mesh->area[i] =
            0.5 * ((b->x - a->x) * (c->y - a->y) - (c->x - a->x) * (b->y - a->y));
        mesh->centre[i].x = (a->x + b->x + c->x) / 3.0;
        mesh->centre[i].y = (a->y + b->y + c->y) / 3.0;
    }
}

void mesh_build(struct mesh *mesh, const struct triangles *triangles)
{
    struct sides sides;
    long shores = 0;

    sides_find(&sides, triangles);
    for (long s = 0; s < sides.nr; s++)
        shores += sides.side[s].right < 0;
    *mesh = (struct mesh){.cells = triangles->cells};
    mesh->area = app_array((size_t)mesh->cells, sizeof(*mesh->area));
    mesh->centre = app_array((size_t)mesh->cells, sizeof(*mesh->centre));
    mesh->edge = app_array((size_t)(sides.nr - shores), sizeof(*mesh->edge));
    mesh->shore = app_array((size_t)shores, sizeof(*mesh->shore));
    cells_make(mesh, triangles);
    edges_make(mesh, &sides, triangles);
    free(sides.side);
    free(sides.first);
}

void mesh_release(struct mesh *mesh)
{
    free(mesh->area);
    free(mesh->centre);
    free(mesh->edge);
    free(mesh->shore);
    *mesh = (struct mesh){0};
}

bool mesh_is_closed(const struct mesh *mesh, double width)
{
    struct point *sum = app_array((size_t)mesh->cells, sizeof(*sum));
    double area = 0.0, open = 0.0;

    for (long e = 0; e < mesh->edges; e++) {
        const struct edge *edge = &mesh->edge[e];
        sum[edge->left].x += edge->nx;
        sum[edge->left].y += edge->ny;
        sum[edge->right].x -= edge->nx;
        sum[edge->right].y -= edge->ny;
    }
    for (long s = 0; s < mesh->shores; s++) {
        sum[mesh->shore[s].cell].x += mesh->shore[s].nx;
        sum[mesh->shore[s].cell].y += mesh->shore[s].ny;
    }
    for (long c = 0; c < mesh->cells; c++) {
        double gap = fabs(sum[c].x) + fabs(sum[c].y);
        open = gap > open ? gap : open;
        area += mesh->area[c];
    }
    free(sum);
    return open < 1e-9 * width && fabs(area - width * width) < 1e-9 * width * width;
}
