/*
 * commented_code: Comments between all that belongs together, and an old version left behind.
 */
#pragma inflight kernel
#pragma inflight set n = 2500
void commented_code(int n /* rows and columns */, double out[restrict n][n], const double in[restrict n][n])
{
    /* The first row has no neighbour above. */
    for (int j = 0; j < n; j++) // all of it
        out[0][j] = in[0][j];
#if 0
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i][j] = in[i][j];
#endif
    for (int j = 0; /* columns outside */ j < n; j++)
        for (int i = 1; i < n; i++) {
            // a difference
            out[i][j] = in[i][j] /* here */ - in[i - 1][j] /* and above */;
        }
}
