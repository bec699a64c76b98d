/* The mean of a point and its 26 neighbours, in tiles of rows and columns; JAM rows at once. ORDER: planes outside the
 * tiles, or within. */
#include "template.hh"

/* without parentheses: all 27 are added in the order of the naive kernel */
#define ROW(p) (p)[-1] + (p)[0] + (p)[1]

template <int rows>
static inline void some_rows(int n, int kt, int ke, double *__restrict__ out, const double *__restrict__ in)
{
    const long plane = (long)n * n;

    UNROLLED(UNROLL)
    for (int k = kt; k < ke; k++)
        UNROLLED(JAM)
        for (int r = 0; r < rows; r++) {
            const double *p = &in[(long)r * n + k];
            out[(long)r * n + k] = (ROW(p - plane - n) + ROW(p - plane) + ROW(p - plane + n) + ROW(p - n) + ROW(p) +
                                    ROW(p + n) + ROW(p + plane - n) + ROW(p + plane) + ROW(p + plane + n)) /
                                   27.0;
        }
}

extern "C" float stencil27(int n, double *__restrict__ out, const double *__restrict__ in)
{
    double began = milliseconds();

#if ORDER == 0
    for (int i = 1; i < n - 1; i++)
        for (int jt = 1; jt < n - 1; jt += TILE_J)
            for (int kt = 1; kt < n - 1; kt += TILE_K) {
#else
    for (int jt = 1; jt < n - 1; jt += TILE_J)
        for (int kt = 1; kt < n - 1; kt += TILE_K)
            for (int i = 1; i < n - 1; i++) {
#endif
                int je = MIN(jt + TILE_J, n - 1), ke = MIN(kt + TILE_K, n - 1), j = jt;
                for (; j + JAM <= je; j += JAM)
                    some_rows<JAM>(n, kt, ke, &out[((long)i * n + j) * n], &in[((long)i * n + j) * n]);
                for (; j < je; j++)
                    some_rows<1>(n, kt, ke, &out[((long)i * n + j) * n], &in[((long)i * n + j) * n]);
            }
    return milliseconds() - began;
}
