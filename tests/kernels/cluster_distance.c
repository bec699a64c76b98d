/*
 * cluster_distance: Squared distance of every point to every centre; coordinates are the slow
 * dimension.
 */
#pragma inflight kernel
#pragma inflight set points = 20000
#pragma inflight set centres = 64
#pragma inflight set dims = 24
void cluster_distance(int points, int centres, int dims, const float p[restrict dims][points],
                      const float c[restrict dims][centres], float out[restrict points][centres])
{
    for (int i = 0; i < points; i++)
        for (int k = 0; k < centres; k++) {
            float sum = 0;
            for (int d = 0; d < dims; d++)
                sum += (p[d][i] - c[d][k]) * (p[d][i] - c[d][k]);
            out[i][k] = sum;
        }
}
