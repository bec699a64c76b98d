/*
 * checksum_table: A checksum by table: every step waits for the last one's look-up in the first cache.
 */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set n = 10000000
#pragma inflight buffer data = index(256)
#pragma inflight buffer table = uniform(0, 2000000000)
uint32_t checksum_table(long n, const unsigned char data[restrict n], const uint32_t table[restrict 256])
{
    uint32_t crc = 0xffffffffu;
    for (long i = 0; i < n; i++)
        crc = table[(crc ^ data[i]) & 255u] ^ (crc >> 8);
    return crc;
}
