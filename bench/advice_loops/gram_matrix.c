/* After least squares as numerical recipes write them: the products of all pairs of
 * columns, each a walk down the rows. Known remedy: rows outside, so that each row is
 * read once and the columns run inside. */
#pragma inflight kernel
#pragma inflight set rows = 30000
#pragma inflight set m = 48
void gram_matrix(int rows, int m, float *restrict g, const float *restrict x)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0;
            for (int r = 0; r < rows; r++)
                sum += x[r * m + i] * x[r * m + j];
            g[i * m + j] = sum;
        }
}

void hand(int rows, int m, float *restrict g, const float *restrict x)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            g[i * m + j] = 0;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                g[i * m + j] += x[r * m + i] * x[r * m + j];
}
