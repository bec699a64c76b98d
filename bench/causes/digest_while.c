/* digest_rows of one long text of words, 32 bits, in a while loop that runs backwards. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set rounds = 500
#pragma inflight set n = 32768
#pragma inflight buffer word = uniform(0, 60000)
uint32_t digest_while(int rounds, int n, const uint16_t word[restrict n])
{
    uint32_t hash = 2166136261u;
    for (int r = 0; r < rounds; r++) {
        int i = n;
        while (i-- > 0)
            hash = (hash + word[i]) * 16777619u;
    }
    return hash;
}
