/* After the copy of the bandwidth benchmark that everybody runs, with a factor: each
 * line that is written is read before. Known remedy: stores past the caches. */
#ifdef __SSE2__
#include <immintrin.h>
#endif

#pragma inflight kernel
#pragma inflight set n = 16000000
void scaled_copy(long n, double *restrict out, const double *restrict in)
{
    for (long i = 0; i < n; i++)
        out[i] = 3.0 * in[i];
}

void hand(long n, double *restrict out, const double *restrict in)
{
    long i = 0;
#ifdef __SSE2__
    for (; i < n && (unsigned long)(out + i) % 64; i++)
        out[i] = 3.0 * in[i];
    for (; i + 8 <= n; i += 8)
        for (int v = 0; v < 8; v += 2)
            _mm_stream_pd(out + i + v,
                          _mm_mul_pd(_mm_set1_pd(3.0), _mm_loadu_pd(in + i + v)));
    _mm_sfence();
#endif
    for (; i < n; i++)
        out[i] = 3.0 * in[i];
}
