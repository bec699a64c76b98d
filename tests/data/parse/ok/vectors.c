#include <immintrin.h>
typedef double v4 __attribute__((vector_size(32)));
void vectors(int n, double *a, v4 *b)
{
    for (int i = 0; i < n; i += 2) {
        __m128d x = _mm_loadu_pd(&a[i]);
        _mm_storeu_pd(a + i, _mm_add_pd(x, x));
        b[i] = b[i] * b[i + 1];
        b[i][0] = 1;
    }
}
