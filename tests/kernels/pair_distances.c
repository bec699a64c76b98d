/*
 * pair_distances: All pairs of vectors; each is read again for each partner.
 */
#pragma inflight kernel
#pragma inflight set n = 1500
#pragma inflight set d = 96
void pair_distances(int n, int d, const float v[restrict n][d], float out[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i][j] = 0;
            for (int k = 0; k < d; k++)
                out[i][j] += (v[i][k] - v[j][k]) * (v[i][k] - v[j][k]);
        }
}
