/* Look-ups all over 1 GiB, at computed places, none of which needs another: with pages of
 * 4 KiB each is a page walk. */
#include <stdint.h>

struct line {
    float value, rest[15];
};

static inline uint32_t mixed(uint32_t i)
{
    uint32_t x = i * 2654435761u;
    x = (x ^ (x >> 15)) * 2246822519u;
    return x ^ (x >> 13);
}

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight set lines = 16777216
#pragma inflight buffer table = uniform(1, 1)
float pages_hash(uint32_t n, uint32_t lines, const struct line table[restrict lines])
{
    float sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += table[((uint64_t)mixed(i) * lines) >> 32].value;
    return sum;
}

/* As many lines, all those of a block of 256 KiB in random order before the next block:
 * the TLB holds its pages. */
float remedy(uint32_t n, uint32_t lines, const struct line table[restrict lines])
{
    float sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = ((i ^ (i >> 7)) * 2654435761u) & 4095, place;
        x ^= x >> 5;
        place = (i & ~4095u) + x;
        sum += table[place < lines ? place : 0].value;
    }
    return sum;
}
