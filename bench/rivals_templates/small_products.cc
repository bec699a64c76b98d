/* C[b] = A[b] B[b]: blocks of ROWS rows and COLUMNS vectors of C in registers; n is a multiple of both. ORDER: rows of
 * blocks outside, or columns. */
#include "template.hh"

typedef float vec __attribute__((vector_size(VECTOR * 4), aligned(4), may_alias));

static inline void block(int n, float *__restrict__ C, const float *__restrict__ A, const float *__restrict__ B)
{
    vec sum[ROWS][COLUMNS] = {};

    UNROLLED(UNROLL_K)
    for (int k = 0; k < n; k++)
        UNROLLED(ROWS)
        for (int r = 0; r < ROWS; r++)
            UNROLLED(COLUMNS)
            for (int c = 0; c < COLUMNS; c++)
                sum[r][c] += A[r * n + k] * *(const vec *)&B[k * n + c * VECTOR];
    UNROLLED(ROWS)
    for (int r = 0; r < ROWS; r++)
        UNROLLED(COLUMNS)
        for (int c = 0; c < COLUMNS; c++)
            *(vec *)&C[r * n + c * VECTOR] = sum[r][c];
}

extern "C" float small_products(int batch, int n, float *__restrict__ C, const float *__restrict__ A,
                                const float *__restrict__ B)
{
    double began = milliseconds();

    for (int b = 0; b < batch; b++) {
        long at = (long)b * n * n;
#if ORDER == 0
        for (int i = 0; i < n; i += ROWS)
            for (int j = 0; j < n; j += COLUMNS * VECTOR)
#else
        for (int j = 0; j < n; j += COLUMNS * VECTOR)
            for (int i = 0; i < n; i += ROWS)
#endif
                block(n, &C[at + i * n + j], &A[at + i * n], &B[at + j]);
    }
    return milliseconds() - began;
}
