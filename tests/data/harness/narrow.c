/* Called at the ends of narrow types, and with arrays that overlap. */
#include <stdint.h>
#pragma inflight kernel
#pragma inflight set n = 100
void narrow(int8_t n, const int *a, int *b)
{
    for (int8_t i = 0; i < n; i++)
        b[i] = b[i] / 2 + a[i];
}
