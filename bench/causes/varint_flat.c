/* Numbers of seven bits a byte, of which the eighth says that another byte follows, which
 * is so for each second byte at random: every second byte or so a branch is mispredicted.
 * What was read is stored only at the end of a number. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set rounds = 8
#pragma inflight set n = 1048576
#pragma inflight buffer byte = uniform(0, 255)
#pragma inflight buffer out = zero
int varint_flat(int rounds, int n, uint64_t out[restrict n + 1],
                const uint8_t byte[restrict n])
{
    int found = 0;
    for (int r = 0; r < rounds; r++) {
        uint64_t value = 0;
        found = 0;
        for (int i = 0; i < n; i++) {
            value = value << 7 | (byte[i] & 127);
            if (byte[i] < 128) {
                out[found++] = value;
                value = 0;
            }
        }
        out[found] = 0;
    }
    return found;
}

/* Every value is written, the next one over it where it goes on. */
int remedy(int rounds, int n, uint64_t out[restrict n + 1],
           const uint8_t byte[restrict n])
{
    int found = 0;
    for (int r = 0; r < rounds; r++) {
        uint64_t value = 0;
        found = 0;
        for (int i = 0; i < n; i++) {
            uint64_t more = byte[i] >> 7;
            value = value << 7 | (byte[i] & 127);
            out[found] = value;
            found += (int)(1 - more);
            value &= -more;
        }
        out[found] = 0;
    }
    return found;
}
