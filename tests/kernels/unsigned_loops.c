/*
 * unsigned_loops: Iterators without a sign.
 */
#pragma inflight kernel
#pragma inflight set n = 2500
void unsigned_loops(unsigned n, double B[restrict n][n], const double A[restrict n][n])
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; ++j)
            B[i][j] = A[j][i] + 1.0;
}
