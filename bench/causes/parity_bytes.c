/* parity_flat as pictures: of two of 192 KiB the brighter one of each pixel, bytes. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set rounds = 6000
#pragma inflight set pixels = 196608
#pragma inflight buffer bright = uniform(0, 100)
#pragma inflight buffer next = uniform(0, 200)
void parity_bytes(size_t rounds, size_t pixels, unsigned char bright[restrict pixels],
                  const unsigned char next[restrict pixels])
{
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < pixels; i++)
            bright[i] = bright[i] > next[i] ? bright[i] : next[i];
}
