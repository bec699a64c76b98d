/* Sums of four rows each of a table of 256 MiB, in random order inside of blocks of 512
 * KiB: no row waits for another, and for each line there are few instructions. */
#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer row = cycle(1, 4096)
#pragma inflight buffer sum = zero
void embed_rows(int n, float sum[restrict n / 4][32], const float table[restrict n][32],
                const int row[restrict n])
{
    for (int b = 0; b < n / 4; b++) {
        const int p = row[4 * b], q = row[4 * b + 1];
        const int r = row[4 * b + 2], s = row[4 * b + 3];
        for (int j = 0; j < 32; j++)
            sum[b][j] = (table[p][j] + table[q][j]) + (table[r][j] + table[s][j]);
    }
}

/* As many rows, of a table of 64 KiB. */
void remedy(int n, float sum[restrict n / 4][32], const float table[restrict n][32],
            const int row[restrict n])
{
    for (int b = 0; b < n / 4; b++) {
        const int p = row[4 * b] & 511, q = row[4 * b + 1] & 511;
        const int r = row[4 * b + 2] & 511, s = row[4 * b + 3] & 511;
        for (int j = 0; j < 32; j++)
            sum[b][j] = (table[p][j] + table[q][j]) + (table[r][j] + table[s][j]);
    }
}
