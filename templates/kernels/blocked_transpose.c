/*
 * blocked_transpose: B = A^T, out of place, tiled by hand.
 *
 * The programmer did the right thing and left a question open: how large are the tiles to
 * be? The answer is a property of the machine (lines that stay while a tile is worked on,
 * pages that the TLB reaches), so TI and TJ are tunables: `inflight tune` tries values
 * beside its own transformations, and --emit-header writes the best ones as macros. A
 * header that defines TI and TJ goes before the definitions here.
 *
 * n = 6000: no multiple of most tiles, so that their edges are there.
 */
#ifndef TI
#define TI 16
#endif
#ifndef TJ
#define TJ 16
#endif
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#pragma inflight tunable TI in 4 : 256 : x2
#pragma inflight tunable TJ in 4 : 256 : x2
#pragma inflight constraint TI *TJ * 16 <= 524288

#pragma inflight kernel
#pragma inflight set n = 6000
#pragma inflight buffer A = uniform(-1, 1)
#pragma inflight flops 0
void blocked_transpose(int n, double B[restrict n][n], const double A[restrict n][n])
{
    for (int it = 0; it < n; it += TI)
        for (int jt = 0; jt < n; jt += TJ)
            for (int i = it; i < MIN(it + TI, n); i++)
                for (int j = jt; j < MIN(jt + TJ, n); j++)
                    B[j][i] = A[i][j];
}
