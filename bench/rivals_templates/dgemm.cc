/* C += A B: tiles of k and j, and within them blocks of ROWS rows and COLUMNS vectors of C in registers.
 * n is a multiple of all of them. ORDER: which of the tile loops and the loop of rows is outside. */
#include "template.hh"

typedef double vec __attribute__((vector_size(VECTOR * 8), aligned(8), may_alias));

static inline void block(int n, double *__restrict__ C, const double *__restrict__ A, const double *__restrict__ B)
{
    vec sum[ROWS][COLUMNS];

    UNROLLED(ROWS)
    for (int r = 0; r < ROWS; r++)
        UNROLLED(COLUMNS)
        for (int c = 0; c < COLUMNS; c++)
            sum[r][c] = *(const vec *)&C[(long)r * n + c * VECTOR];
    UNROLLED(UNROLL_K)
    for (int k = 0; k < TILE_K; k++)
        UNROLLED(ROWS)
        for (int r = 0; r < ROWS; r++)
            UNROLLED(COLUMNS)
            for (int c = 0; c < COLUMNS; c++)
                sum[r][c] += A[(long)r * n + k] * *(const vec *)&B[(long)k * n + c * VECTOR];
    UNROLLED(ROWS)
    for (int r = 0; r < ROWS; r++)
        UNROLLED(COLUMNS)
        for (int c = 0; c < COLUMNS; c++)
            *(vec *)&C[(long)r * n + c * VECTOR] = sum[r][c];
}

extern "C" float dgemm(int n, double *__restrict__ C, const double *__restrict__ A, const double *__restrict__ B)
{
    double began = milliseconds();

#if ORDER == 0
    for (int kt = 0; kt < n; kt += TILE_K)
        for (int jt = 0; jt < n; jt += TILE_J)
            for (int i = 0; i < n; i += ROWS)
                for (int j = jt; j < jt + TILE_J; j += COLUMNS * VECTOR)
#elif ORDER == 1
    for (int jt = 0; jt < n; jt += TILE_J)
        for (int kt = 0; kt < n; kt += TILE_K)
            for (int i = 0; i < n; i += ROWS)
                for (int j = jt; j < jt + TILE_J; j += COLUMNS * VECTOR)
#else
    for (int jt = 0; jt < n; jt += TILE_J)
        for (int kt = 0; kt < n; kt += TILE_K)
            for (int j = jt; j < jt + TILE_J; j += COLUMNS * VECTOR)
                for (int i = 0; i < n; i += ROWS)
#endif
                    block(n, &C[(long)i * n + j], &A[(long)i * n + kt], &B[(long)kt * n + j]);
    return milliseconds() - began;
}
