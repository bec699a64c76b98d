/* After graphics libraries: red and blue of 32-bit pixels change places. Nothing to
 * gain: shifts and masks in vectors, from the second cache. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set rounds = 600
#pragma inflight set n = 100000
void swap_channels(int rounds, int n, uint32_t out[restrict n],
                   const uint32_t in[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            out[i] =
                (in[i] & 0xff00ff00u) | (in[i] >> 16 & 0xffu) | (in[i] & 0xffu) << 16;
}
