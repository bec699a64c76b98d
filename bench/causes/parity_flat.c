/* The parity of two blocks of 128 KiB, brought up to date again and again: in the L2
 * cache, two exclusive ors for three loads and a store. */
#include <stdint.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

#pragma inflight kernel
#pragma inflight set rounds = 3000
#pragma inflight set n = 16384
void parity_flat(int rounds, int n, uint64_t parity[restrict n],
                 const uint64_t old[restrict n], const uint64_t now[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            parity[i] ^= old[i] ^ now[i];
}

/* All rounds of 12 KiB before the next. */
void remedy(int rounds, int n, uint64_t parity[restrict n],
            const uint64_t old[restrict n], const uint64_t now[restrict n])
{
    for (int it = 0; it < n; it += 512)
        for (int r = 0; r < rounds; r++)
            for (int i = it; i < MIN(it + 512, n); i++)
                parity[i] ^= old[i] ^ now[i];
}
