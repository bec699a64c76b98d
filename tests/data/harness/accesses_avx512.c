/* Vector intrinsics of AVX-512. `kind` chooses, in the order of
 * tests/variants/build/test_traced.c. */
#include <immintrin.h>

#define KINDS(X)                                                                         \
    X(_mm512_storeu_pd(a + 8 * i, _mm512_loadu_pd(b + 8 * i)))                           \
    X(_mm512_stream_pd(a + 8 * i, _mm512_load_pd(b + 8 * i)))                            \
    X(_mm512_mask_storeu_pd(                                                             \
        a + 8 * i, (__mmask8)(0x0f << (i & 1)),                                          \
        _mm512_maskz_loadu_pd((__mmask8)(0x0f << (i & 1)), b + 8 * i)))                  \
    X(_mm512_mask_compressstoreu_pd(a + 8 * i, (__mmask8)(0x55 << (i & 1)),              \
                                    _mm512_loadu_pd(b + 8 * i)))                         \
    X(_mm512_store_pd(a + 8 * i, _mm512_i32gather_pd(eight, b + 8 * i, 8)))              \
    X(_mm512_i32scatter_pd(a + 8 * i, eight, _mm512_load_pd(b + 8 * i), 8))

#define KIND(...)                                                                        \
    if (kind == here++)                                                                  \
        for (long i = 0; i < n; i++)                                                     \
            __VA_ARGS__;

void kernel(long n, long m, long kind, double a[restrict m], const double b[restrict m])
{
    const __m256i eight = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    (void)eight;
    long here = 0;

    KINDS(KIND)
}
