/* Sweeps of a stencil of five points over grids that no cache holds, there and back. Of
 * three rows two are in the caches, so that each sweep reads one grid and writes the
 * other, for four operations a vector. */
#define MEAN(a, i, j) (0.25 * ((a[i - 1][j] + a[i + 1][j]) + (a[i][j - 1] + a[i][j + 1])))

#pragma inflight kernel
#pragma inflight set sweeps = 2
#pragma inflight set rows = 12000
#pragma inflight set n = 1000
void jacobi_2d(int sweeps, int rows, int n, double a[restrict rows][n],
               double b[restrict rows][n])
{
    for (int s = 0; s < sweeps; s++) {
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = MEAN(a, i, j);
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = MEAN(b, i, j);
    }
}

/* Each sweep a row behind the one before. */
void remedy(int sweeps, int rows, int n, double a[restrict rows][n],
            double b[restrict rows][n])
{
    for (int first = 1; first < rows - 2 + 2 * sweeps; first++)
        for (int s = 0; s < sweeps; s++) {
            const int there = first - 2 * s, back = there - 1;
            if (there > 0 && there < rows - 1)
                for (int j = 1; j < n - 1; j++)
                    b[there][j] = MEAN(a, there, j);
            if (back > 0 && back < rows - 1)
                for (int j = 1; j < n - 1; j++)
                    a[back][j] = MEAN(b, back, j);
        }
}
