/* After the answers to the question about slow transposes: blocks of some lines, and a
 * size that is no power of two. Nothing to gain: lines are used whole while they are in
 * the cache. */
enum { SIDE = 16 };

#pragma inflight kernel
#pragma inflight set n = 4000
void transpose_in_blocks(int n, float out[restrict n][n], const float in[restrict n][n])
{
    for (int ib = 0; ib < n; ib += SIDE)
        for (int jb = 0; jb < n; jb += SIDE)
            for (int j = jb; j < jb + SIDE && j < n; j++)
                for (int i = ib; i < ib + SIDE && i < n; i++)
                    out[j][i] = in[i][j];
}
