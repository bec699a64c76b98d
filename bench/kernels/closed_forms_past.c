/* Writes past the caches (bench/traffic_figures.c); x86 only. */
#include <emmintrin.h>

void stream_past(long n, double a[restrict n])
{
    for (long i = 0; i < n / 2; i++)
        _mm_stream_pd(a + 2 * i, _mm_set1_pd(1.5));
}
