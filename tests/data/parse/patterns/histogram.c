#include <stdint.h>
void f(long n, const uint8_t *restrict key, uint32_t count[256])
{
    for (long i = 0; i < n; i++)
        count[key[i]]++;
}
