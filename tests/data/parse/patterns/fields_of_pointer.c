struct g { int nx, ny; double *u, *v; };
void f(struct g *restrict g)
{
    for (int j = 1; j < g->ny - 1; ++j)
        for (int i = 1; i < g->nx - 1; ++i)
            g->v[j * g->nx + i] = 0.25 * (g->u[j * g->nx + i - 1] + g->u[j * g->nx + i + 1]);
}
