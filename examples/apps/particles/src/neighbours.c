/*
 * The list of neighbours, made by way of cells: a grid whose cells are at least as wide
 * as the list reaches, so that partners are in the same cell or in one of 26 around it.
 */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "particles.h"

#include "common/app.h"

/* Widest pair at which two particles touch: 2^(1/6) of the largest diameter. */
static const double CUTOFF = 1.122462048309373;

struct cells {
    long edge;            /* cells along an edge of the box, 3 at least */
    int *start;           /* [edge^3 + 1] */
    int *number;          /* [nr]: particles in the order of their cells */
    struct vector *place; /* [nr]: where they are, in this order */
};

static long cell_along(double x, double per_cell, long edge)
{
    long at = (long)(x * per_cell);

    return at < edge ? at : edge - 1;
}

/* Counting sort of the particles by cell. */
static void cells_fill(struct cells *cells, const struct fluid *fluid)
{
    long edge = cells->edge, nr = edge * edge * edge;
    double per_cell = (double)edge / fluid->box;
    int *cell_of = app_array((size_t)fluid->nr, sizeof(*cell_of));

#pragma omp parallel for
    for (long i = 0; i < fluid->nr; i++) {
        const struct site *site = &fluid->site[i];
        cell_of[i] = (int)((cell_along(site->z, per_cell, edge) * edge +
                            cell_along(site->y, per_cell, edge)) *
                               edge +
                           cell_along(site->x, per_cell, edge));
    }
    for (long i = 0; i < fluid->nr; i++)
        cells->start[cell_of[i] + 1]++;
    for (long c = 0; c < nr; c++)
        cells->start[c + 1] += cells->start[c];
    for (long i = 0; i < fluid->nr; i++) {
        int at = cells->start[cell_of[i]]++;
        cells->number[at] = (int)i;
        cells->place[at] =
            (struct vector){fluid->site[i].x, fluid->site[i].y, fluid->site[i].z};
    }
    memmove(cells->start + 1, cells->start, (size_t)nr * sizeof(*cells->start));
    cells->start[0] = 0;
    free(cell_of);
}

static void cells_start(struct cells *cells, const struct fluid *fluid, double reach)
{
    long edge = (long)(fluid->box / reach);

    cells->edge = edge;
    cells->start = app_array((size_t)(edge * edge * edge) + 1, sizeof(*cells->start));
    cells->number = app_array((size_t)fluid->nr, sizeof(*cells->number));
    cells->place = app_array((size_t)fluid->nr, sizeof(*cells->place));
    cells_fill(cells, fluid);
}

static void cells_release(struct cells *cells)
{
    free(cells->start);
    free(cells->number);
    free(cells->place);
}

static double nearest(double d, double box)
{
    if (d > 0.5 * box)
        return d - box;
    return d < -0.5 * box ? d + box : d;
}

/* Partners of the particle at place p, from the cells first .. last, which lie in a row;
 * into list unless that is NULL. Returns how many there are. */
static int partners_in_cells(const struct cells *cells, long first, long last, long p,
                             const struct fluid *fluid, int *list)
{
    const struct vector *me = &cells->place[p];
    double box = fluid->box, reach2 = fluid->near.reach * fluid->near.reach;
    int found = 0;

    for (int q = cells->start[first]; q < cells->start[last + 1]; q++) {
        double dx = nearest(me->x - cells->place[q].x, box);
        double dy = nearest(me->y - cells->place[q].y, box);
        double dz = nearest(me->z - cells->place[q].z, box);

        if (dx * dx + dy * dy + dz * dz < reach2 && q != p) {
            if (list)
                list[found] = cells->number[q];
            found++;
        }
    }
    return found;
}

/* The same from all 27 cells around its own, which is at[0], at[1], at[2]. */
static int partners_around(const struct cells *cells, const long at[3], long p,
                           const struct fluid *fluid, int *list)
{
    long edge = cells->edge, x = at[0];
    bool within = x > 0 && x < edge - 1;
    int found = 0;

    for (long k = 0; k < 9; k++) {
        long row = ((at[2] + edge - 1 + k / 3) % edge * edge +
                    (at[1] + edge - 1 + k % 3) % edge) *
                   edge;

        for (long i = within ? 1 : 0; i < (within ? 2 : 3); i++) {
            long middle = row + (x + edge - 1 + i) % edge;
            found += partners_in_cells(cells, middle - within, middle + within, p, fluid,
                                       list ? list + found : NULL);
        }
    }
    return found;
}

/* Counts the partners of every particle into start[i + 1], or, with `fill`, lists them.
 */
static void partners_pass(struct fluid *fluid, const struct cells *cells, bool fill)
{
    struct neighbours *near = &fluid->near;
    long edge = cells->edge;

#pragma omp parallel for schedule(dynamic)
    for (long z = 0; z < edge; z++)
        for (long c = z * edge * edge; c < (z + 1) * edge * edge; c++) {
            const long at[3] = {c % edge, c / edge % edge, z};

            for (int p = cells->start[c]; p < cells->start[c + 1]; p++) {
                int i = cells->number[p];
                int *list = fill ? near->list + near->start[i] : NULL;
                int found = partners_around(cells, at, p, fluid, list);
                if (!fill)
                    near->start[i + 1] = found;
            }
        }
}

static void list_reserve(struct neighbours *near, long nr)
{
    if (nr <= near->alloc)
        return;
    free(near->list);
    near->alloc = nr + nr / 16;
    near->list = app_array((size_t)near->alloc, sizeof(*near->list));
}

/* From the numbers of partners in start[i + 1] to where they begin. */
static void list_begin(struct neighbours *near, long nr)
{
    long sum = 0;

    near->start[0] = 0;
    for (long i = 0; i < nr; i++) {
        sum += near->start[i + 1];
        if (sum > INT_MAX) {
            fprintf(stderr,
                    "more than %d pairs; ask for fewer particles, or a smaller "
                    "skin\n",
                    INT_MAX);
            exit(1);
        }
        near->start[i + 1] = (int)sum;
    }
    list_reserve(near, sum);
}

static void list_make(struct fluid *fluid)
{
    struct neighbours *near = &fluid->near;
    struct cells cells;

    cells_start(&cells, fluid, near->reach);
    partners_pass(fluid, &cells, false);
    list_begin(near, fluid->nr);
    partners_pass(fluid, &cells, true);
    cells_release(&cells);
    for (long i = 0; i < fluid->nr; i++)
        near->origin[i] =
            (struct vector){fluid->site[i].x, fluid->site[i].y, fluid->site[i].z};
    near->made++;
}

/* The square of the longest way that somebody went since the list was made. */
static double farthest_way(const struct fluid *fluid)
{
    double most = 0.0;

#pragma omp parallel for reduction(max : most)
    for (long i = 0; i < fluid->nr; i++) {
        const struct vector *from = &fluid->near.origin[i];
        double dx = nearest(fluid->site[i].x - from->x, fluid->box);
        double dy = nearest(fluid->site[i].y - from->y, fluid->box);
        double dz = nearest(fluid->site[i].z - from->z, fluid->box);
        double way = dx * dx + dy * dy + dz * dz;

        most = way > most ? way : most;
    }
    return most;
}

bool neighbours_renew(struct fluid *fluid)
{
    struct neighbours *near = &fluid->near;

    if (near->made && farthest_way(fluid) < 0.25 * fluid->skin * fluid->skin)
        return false;
    if (!near->made) {
        near->reach = CUTOFF + fluid->skin;
        near->start = app_array((size_t)fluid->nr + 1, sizeof(*near->start));
        near->origin = app_array((size_t)fluid->nr, sizeof(*near->origin));
    }
    list_make(fluid);
    return true;
}

void neighbours_release(struct neighbours *near)
{
    free(near->start);
    free(near->list);
    free(near->origin);
    *near = (struct neighbours){0};
}
