/* After a well-known family of random number generators, one stream. Nothing to gain:
 * each number is made of the one before, by shifts that nothing reorders. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 20000000
uint64_t xorshift(int n)
{
    uint64_t x = 88172645463325252u, sum = 0;
    for (int i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        sum += x;
    }
    return sum;
}
