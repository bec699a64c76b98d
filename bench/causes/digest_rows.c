/* A digest of bytes, of which each multiplication waits for the one before: FNV-1a, for
 * eight texts, one after the other. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set rounds = 1000
#pragma inflight set n = 4096
#pragma inflight buffer text = uniform(0, 255)
uint64_t digest_rows(int rounds, int n, const uint8_t text[restrict 8][n])
{
    uint64_t all = 0;
    for (int r = 0; r < rounds; r++)
        for (int t = 0; t < 8; t++) {
            uint64_t hash = 0xcbf29ce484222325u + (uint64_t)r;
            for (int i = 0; i < n; i++)
                hash = (hash ^ text[t][i]) * 0x100000001b3u;
            all ^= hash;
        }
    return all;
}

/* A byte of each text in turn. */
uint64_t remedy(int rounds, int n, const uint8_t text[restrict 8][n])
{
    uint64_t all = 0;
    for (int r = 0; r < rounds; r++) {
        uint64_t hash[8];
        for (int t = 0; t < 8; t++)
            hash[t] = 0xcbf29ce484222325u + (uint64_t)r;
        for (int i = 0; i < n; i++)
            for (int t = 0; t < 8; t++)
                hash[t] = (hash[t] ^ text[t][i]) * 0x100000001b3u;
        for (int t = 0; t < 8; t++)
            all ^= hash[t];
    }
    return all;
}
