/* pages_index with computed places, structs, and unsigned subscripts of 32 bits. */
#include <stdint.h>

struct line {
    float value, rest[15];
};

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight set lines = 16777216
float pages_hash(uint32_t n, uint32_t lines, const struct line table[restrict lines])
{
    float sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = i * 2654435761u;
        x = (x ^ (x >> 15)) * 2246822519u;
        sum += table[((uint64_t)(x ^ (x >> 13)) * lines) >> 32].value;
    }
    return sum;
}
