/* modulo_flat as times of 64 bits, taken apart into days and what is left. */
#include <stdint.h>

struct day {
    uint64_t day, rest;
};

#pragma inflight kernel
#pragma inflight set rounds = 12000
#pragma inflight set n = 1024
#pragma inflight set length = 86400000
#pragma inflight buffer time = uniform(1000000000000, 2000000000000)
void modulo_struct(long rounds, long n, uint64_t length, struct day out[restrict n],
                   const uint64_t time[restrict n])
{
    uint64_t salt = 1;
    for (long r = 0; r < rounds; r++) {
        salt = 5 * salt + 3;
        for (long i = 0; i < n; i++) {
            out[i].day = (time[i] + salt) / length;
            out[i].rest = (time[i] + salt) % length;
        }
    }
}
