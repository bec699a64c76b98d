/*
 * grid_by_pointer: Sizes and arrays come in a structure.
 */
struct grid {
    int nx, ny;
    double *restrict u, *restrict v;
};

#pragma inflight kernel
#pragma inflight set g->nx = 1500
#pragma inflight set g->ny = 1500
#pragma inflight buffer g->u = uniform(0.5, 1.5)
void grid_by_pointer(const struct grid *g)
{
    for (int j = 1; j < g->ny - 1; j++)
        for (int i = 1; i < g->nx - 1; i++)
            g->v[j * g->nx + i] = 0.25 * (g->u[j * g->nx + i - 1] + g->u[j * g->nx + i + 1] +
                                          g->u[(j - 1) * g->nx + i] + g->u[(j + 1) * g->nx + i]);
}
