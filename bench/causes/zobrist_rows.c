/* Tabulation hashing in the L1 cache: eight bytes of each key, and for each of them a
 * number of a table: two loads for each exclusive or. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set rounds = 20000
#pragma inflight set n = 1024
#pragma inflight buffer key = uniform(0, 255)
#pragma inflight buffer hash = zero
void zobrist_rows(int rounds, int n, uint32_t hash[restrict n],
                  const uint8_t key[restrict n][8], const uint32_t table[restrict 8][256])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            hash[i] = table[0][key[i][0]] ^ table[1][key[i][1]] ^ table[2][key[i][2]] ^
                      table[3][key[i][3]] ^ table[4][key[i][4]] ^ table[5][key[i][5]] ^
                      table[6][key[i][6]] ^ table[7][key[i][7]];
}
