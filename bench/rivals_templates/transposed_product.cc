/* y = A^T x: strips of TILE_J columns, JAM rows of A at once along the strip. PREFETCH: rows ahead, 0 = none. */
#include "template.hh"

template <int rows>
static inline void some_rows(int m, int jt, int je, double *__restrict__ y, const double *__restrict__ A,
                             const double *__restrict__ x)
{
    UNROLLED(UNROLL)
    for (int j = jt; j < je; j++) {
        double sum = y[j];
        UNROLLED(JAM)
        for (int r = 0; r < rows; r++)
            sum += A[(long)r * m + j] * x[r];
        y[j] = sum;
    }
}

extern "C" float transposed_product(int n, int m, double *__restrict__ y, const double *__restrict__ A,
                                    const double *__restrict__ x)
{
    double began = milliseconds();

    for (int jt = 0; jt < m; jt += TILE_J) {
        int je = MIN(jt + TILE_J, m), i = 0;
        for (int j = jt; j < je; j++)
            y[j] = 0;
        for (; i + JAM <= n; i += JAM) {
#if PREFETCH
            for (int j = jt; j < je; j += 8)
                for (int r = 0; r < JAM; r++)
                    __builtin_prefetch(&A[(long)(i + r + PREFETCH) * m + j]);
#endif
            some_rows<JAM>(m, jt, je, y, &A[(long)i * m], &x[i]);
        }
        for (; i < n; i++)
            some_rows<1>(m, jt, je, y, &A[(long)i * m], &x[i]);
    }
    return milliseconds() - began;
}
