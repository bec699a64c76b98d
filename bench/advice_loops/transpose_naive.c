/* After the much asked question why transposing matrices of a power of two takes so
 * long. Known remedy: blocks of some lines. */
#pragma inflight kernel
#pragma inflight set n = 4096
void transpose_naive(int n, float out[restrict n][n], const float in[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j][i] = in[i][j];
}

enum { SIDE = 16 };

void hand(int n, float out[restrict n][n], const float in[restrict n][n])
{
    for (int ib = 0; ib < n; ib += SIDE)
        for (int jb = 0; jb < n; jb += SIDE)
            for (int j = jb; j < jb + SIDE && j < n; j++)
                for (int i = ib; i < ib + SIDE && i < n; i++)
                    out[j][i] = in[i][j];
}
