/* A change of basis: each of many short vectors times one small matrix. */
#pragma inflight kernel
#pragma inflight set nr = 40000
#pragma inflight set m = 24
void change_basis(int nr, int m, double to[restrict nr][m],
                  const double from[restrict nr][m], const double basis[restrict m][m])
{
    for (int v = 0; v < nr; v++)
        for (int s = 0; s < m; s++) {
            to[v][s] = 0;
            for (int p = 0; p < m; p++)
                to[v][s] += from[v][p] * basis[p][s];
        }
}
