/* Look-ups in chains of two entries; what is found makes the next key. Eight rows of
 * look-ups, one after the other. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set steps = 32768
#pragma inflight set n = 16777216
#pragma inflight buffer head = index(n)
#pragma inflight buffer entry = index(n)
unsigned hash_array(unsigned steps, unsigned n, const int head[restrict n],
                    const int entry[restrict n])
{
    unsigned sum = 0;
    for (unsigned r = 0; r < 8; r++) {
        unsigned key = r + 1;
        for (unsigned i = 0; i < steps; i++) {
            unsigned bucket = ((uint64_t)(key * 2654435761u) * n) >> 32;
            key += (unsigned)entry[head[bucket]];
        }
        sum += key;
    }
    return sum;
}

/* A look-up of each row at once. */
unsigned remedy(unsigned steps, unsigned n, const int head[restrict n],
                const int entry[restrict n])
{
    unsigned sum = 0, key[8];
    for (unsigned r = 0; r < 8; r++)
        key[r] = r + 1;
    for (unsigned i = 0; i < steps; i++)
        for (unsigned r = 0; r < 8; r++) {
            unsigned bucket = ((uint64_t)(key[r] * 2654435761u) * n) >> 32;
            key[r] += (unsigned)entry[head[bucket]];
        }
    for (unsigned r = 0; r < 8; r++)
        sum += key[r];
    return sum;
}
