/*
 * interpolate_bilinear: A value between four neighbours of a grid, at scattered places. Cells come
 * with their fractions.
 */
#pragma inflight kernel
#pragma inflight set n = 2000000
#pragma inflight set h = 5000
#pragma inflight set w = 5000
#pragma inflight buffer row = index(h - 1)
#pragma inflight buffer column = index(w - 1)
#pragma inflight buffer fy = uniform(0, 1)
#pragma inflight buffer fx = uniform(0, 1)
void interpolate_bilinear(long n, int h, int w, float out[restrict n], const float grid[restrict h][w],
                          const int row[restrict n], const int column[restrict n], const float fy[restrict n],
                          const float fx[restrict n])
{
    for (long i = 0; i < n; i++) {
        float above = grid[row[i]][column[i]] * (1.0f - fx[i]) + grid[row[i]][column[i] + 1] * fx[i];
        float below = grid[row[i] + 1][column[i]] * (1.0f - fx[i]) + grid[row[i] + 1][column[i] + 1] * fx[i];

        out[i] = above * (1.0f - fy[i]) + below * fy[i];
    }
}
