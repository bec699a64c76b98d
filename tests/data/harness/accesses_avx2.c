/* Vector intrinsics of AVX2. `kind` chooses, in the order of
 * tests/variants/build/test_traced.c. */
#include <immintrin.h>

#define KINDS(X)                                                                         \
    X(_mm256_store_pd(a + 4 * i, _mm256_load_pd(b + 4 * i)))                             \
    X(_mm256_storeu_ps((float *)a + 8 * i, _mm256_loadu_ps((const float *)b + 8 * i)))   \
    X(_mm256_stream_pd(a + 4 * i, _mm256_load_pd(b + 4 * i)))                            \
    X(_mm256_stream_si256((__m256i *)a + i,                                              \
                          _mm256_stream_load_si256((const __m256i *)b + i)))             \
    X(_mm256_maskstore_pd(a + 4 * i, half, _mm256_maskload_pd(b + 4 * i, half)))         \
    X(_mm256_store_pd(a + 4 * i, _mm256_i32gather_pd(b + 4 * i, four, 8)))               \
    X(_mm256_store_pd(                                                                   \
        a + 4 * i,                                                                       \
        _mm256_mask_i32gather_pd(all, b + 4 * i, four, _mm256_castsi256_pd(half), 8)))

#define KIND(...)                                                                        \
    if (kind == here++)                                                                  \
        for (long i = 0; i < n; i++)                                                     \
            __VA_ARGS__;

void kernel(long n, long m, long kind, double a[restrict m], const double b[restrict m])
{
    const __m256i half = _mm256_set_epi64x(0, -1, 0, -1);
    const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    const __m128i four = _mm_set_epi32(3, 2, 1, 0);
    (void)half, (void)all, (void)four;
    long here = 0;

    KINDS(KIND)
}
