/* Types by other names, signed and unsigned, narrow and wide; named like a system call. */
#include <stdbool.h>
#include <stdint.h>
typedef long long wide;
#pragma inflight kernel
#pragma inflight set n = 1000
#pragma inflight buffer b = uniform(-100, 100)
#pragma inflight buffer k = permutation
unsigned mmap(uint32_t n, const int8_t b[n], const uint16_t k[n], wide w[n], bool odd[n])
{
    unsigned sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        w[k[i]] = (wide)b[i] * 3;
        odd[i] = b[i] % 2 != 0;
        sum += (unsigned)b[i];
    }
    return sum;
}
