/* After the benchmark of random access among those of the high performance challenge:
 * every update walks the page tables. Known remedy: huge pages. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 4000000
#pragma inflight set m = 33554432
#pragma inflight buffer table = iota
uint64_t random_updates(int n, int m, uint64_t table[restrict m])
{
    uint64_t ran = 88172645463325252u;
    for (int i = 0; i < n; i++) {
        ran = ran << 1 ^ ((int64_t)ran < 0 ? 7 : 0);
        table[(ran * 0x9e3779b97f4a7c15u >> 32) * (uint64_t)m >> 32] ^= ran;
    }
    return ran;
}
