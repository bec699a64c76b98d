/*
 * walsh_rounds: One round of butterflies over the columns of a matrix, the partner half of it away;
 * columns outside.
 */
#pragma inflight kernel
#pragma inflight set half = 1200
#pragma inflight set m = 2400
void walsh_rounds(int half, int m, double a[2 * half][m])
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < half; i++) {
            double u = a[i][j], v = a[i + half][j];
            a[i][j] = 0.5 * (u + v);
            a[i + half][j] = 0.5 * (u - v);
        }
}
