/*
 * rows_star: A star of a grid of pointers to pointers to rows; no corner of it is used.
 */
#pragma inflight kernel
#pragma inflight set nx = 60
#pragma inflight set ny = 50
#pragma inflight set nz = 70
void rows_star(int nx, int ny, int nz, float ***u, float ***v, const float *w)
{
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            for (int k = 1; k < nz - 1; k++)
                v[i][j][k] = w[k] * (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k]) - u[i][j][k];
}
