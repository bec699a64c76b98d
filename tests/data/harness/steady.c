#include <math.h>
#pragma inflight set n = 70
void factor(int n, double l[n][n], double *d)
{
    for (int c = 0; c < n; c++) {
        d[c] = l[c][c];
        for (int k = 0; k < c; k++)
            d[c] -= l[c][k] * l[c][k];
        d[c] = sqrt(d[c]);
        for (int r = c + 1; r < n; r++) {
            for (int k = 0; k < c; k++)
                l[r][c] -= l[r][k] * l[c][k];
            l[r][c] /= d[c];
        }
    }
}
