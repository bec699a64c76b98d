/* After nearest neighbours in plain code: the squared distances of all pairs of points.
 * Known remedy: 16 points side by side: their coordinates transposed once, sums in
 * vectors. */
#pragma inflight kernel
#pragma inflight set n = 600
#pragma inflight set m = 608
#pragma inflight set d = 64
void all_distances(int n, int m, int d, float out[restrict n][m],
                   const float x[restrict n][d], const float y[restrict m][d])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0;
            for (int k = 0; k < d; k++)
                sum += (x[i][k] - y[j][k]) * (x[i][k] - y[j][k]);
            out[i][j] = sum;
        }
}

enum { SIDE = 32, DEPTH = 64 };

void hand(int n, int m, int d, float out[restrict n][m], const float x[restrict n][d],
          const float y[restrict m][d])
{
    for (int jb = 0; jb < m; jb += SIDE) {
        float across[DEPTH][SIDE] = {0};
        int side = m - jb < SIDE ? m - jb : SIDE;
        for (int i = 0; i < n; i++)
            for (int j = jb; j < jb + side; j++)
                out[i][j] = 0;
        for (int kb = 0; kb < d; kb += DEPTH) {
            int deep = d - kb < DEPTH ? d - kb : DEPTH;
            for (int v = 0; v < side; v++)
                for (int k = 0; k < deep; k++)
                    across[k][v] = y[jb + v][kb + k];
            for (int i = 0; i < n; i++) {
                float sum[SIDE] = {0};
                for (int v = 0; v < side; v++)
                    sum[v] = out[i][jb + v];
                for (int k = 0; k < deep; k++)
                    for (int v = 0; v < SIDE; v++)
                        sum[v] +=
                            (x[i][kb + k] - across[k][v]) * (x[i][kb + k] - across[k][v]);
                for (int v = 0; v < side; v++)
                    out[i][jb + v] = sum[v];
            }
        }
    }
}
