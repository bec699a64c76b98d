struct grid {
    int nx, ny;
    double *v;
    double sum;
};

void kernel(struct grid *g, int *mark)
{
    for (int i = 0; i < g->nx; i++)
        for (int j = 0; j < g->ny; j++) {
            g->v[i * g->ny + j] *= 2.0;
            mark[j] = i;
        }
}
