/* B = A^T in tiles. OUTER: rows of tiles of A first, or columns; INNER: the innermost loop walks along A, or along B. */
#include "template.hh"

extern "C" float transpose(int n, double *__restrict__ B, const double *__restrict__ A)
{
    double began = milliseconds();
#if OUTER == 0
    for (int it = 0; it < n; it += TILE_I)
        for (int jt = 0; jt < n; jt += TILE_J) {
#else
    for (int jt = 0; jt < n; jt += TILE_J)
        for (int it = 0; it < n; it += TILE_I) {
#endif
            int ie = MIN(it + TILE_I, n), je = MIN(jt + TILE_J, n);
#if INNER == 0
            for (int i = it; i < ie; i++)
                UNROLLED(UNROLL)
                for (int j = jt; j < je; j++)
#else
            for (int j = jt; j < je; j++)
                UNROLLED(UNROLL)
                for (int i = it; i < ie; i++)
#endif
                    B[(long)j * n + i] = A[(long)i * n + j];
        }
    return milliseconds() - began;
}
