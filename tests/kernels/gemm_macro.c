/*
 * gemm_macro: Single precision, storage by columns behind a macro, leading dimensions apart from the
 * sizes.
 */
typedef float real;
#define AT(x, i, j) (x)[(j) * ld + (i)]

#pragma inflight kernel
#pragma inflight set n = 640
#pragma inflight set ld = 648
void gemm_macro(int n, int ld, real *restrict c, const real *restrict a, const real *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            real sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += AT(a, i, k) * AT(b, k, j);
            AT(c, i, j) = sum;
        }
}
