/* Eight series compared with a ninth by dynamic time warping, one after the other: each
 * cell is the least of three neighbours and a cost, and waits for the cell to its left.
 */
#include <math.h>

#define LEAST(a, b) ((a) < (b) ? (a) : (b))

#pragma inflight kernel
#pragma inflight set m = 10000
#pragma inflight set n = 250
#pragma inflight buffer row = zero
void warp_rows(int m, int n, float row[restrict 8][n], const float x[restrict m],
               const float y[restrict 8][n])
{
    for (int s = 0; s < 8; s++)
        for (int j = 0; j < n; j++)
            row[s][j] = (float)j;
    for (int i = 0; i < m; i++)
        for (int s = 0; s < 8; s++) {
            float left = (float)i, corner = left;
            for (int j = 0; j < n; j++) {
                float least = LEAST(row[s][j], corner);
                corner = row[s][j];
                left = LEAST(least, left) + fabsf(x[i] - y[s][j]);
                row[s][j] = left;
            }
        }
}

/* A cell of each series in turn. */
void remedy(int m, int n, float row[restrict 8][n], const float x[restrict m],
            const float y[restrict 8][n])
{
    for (int s = 0; s < 8; s++)
        for (int j = 0; j < n; j++)
            row[s][j] = (float)j;
    for (int i = 0; i < m; i++) {
        float left[8], corner[8];
        for (int s = 0; s < 8; s++)
            left[s] = corner[s] = (float)i;
        for (int j = 0; j < n; j++)
            for (int s = 0; s < 8; s++) {
                float least = LEAST(row[s][j], corner[s]);
                corner[s] = row[s][j];
                left[s] = LEAST(least, left[s]) + fabsf(x[i] - y[s][j]);
                row[s][j] = left[s];
            }
    }
}
