/* After graphics libraries: red and blue of 32-bit pixels change places, mixed into
 * another image. Nothing to gain: shifts and masks in vectors, at the speed of memory;
 * what is stored was read before. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 24000000
void swap_channels(int n, uint32_t out[restrict n], const uint32_t in[restrict n])
{
    for (int i = 0; i < n; i++)
        out[i] ^= (in[i] & 0xff00ff00u) | (in[i] >> 16 & 0xffu) | (in[i] & 0xffu) << 16;
}
