/* Vector intrinsics of every x86-64. `kind` chooses, in the order of
 * tests/variants/build/test_traced.c. */
#include <emmintrin.h>

#define KINDS(X)                                                                         \
    X(_mm_storeu_pd(a + 2 * i, _mm_load_pd(b + 2 * i)))                                  \
    X(_mm_stream_pd(a + 2 * i, _mm_load_pd(b + 2 * i)))                                  \
    X(_mm_stream_si128((__m128i *)a + i, _mm_loadu_si128((const __m128i *)b + i)))       \
    X(_mm_stream_si64((long long *)a + i, ((const long long *)b)[i]))                    \
    X(_mm_stream_si32((int *)a + i, ((const int *)b)[i]))                                \
    X((_mm_prefetch((const char *)(b + i + 64), _MM_HINT_T0), a[i] = b[i]))

#define KIND(...)                                                                        \
    if (kind == here++)                                                                  \
        for (long i = 0; i < n; i++)                                                     \
            __VA_ARGS__;

void kernel(long n, long m, long kind, double a[restrict m], const double b[restrict m])
{
    long here = 0;

    KINDS(KIND)
}
