/*
 * private_tables: Tables that are updated by an index, in each way that copies may share: of narrow and of signed
 * elements, under conditions, twice in an iteration, in rows, by indices beyond what a copy has.
 */
#pragma inflight kernel
#pragma inflight set n = 3000
#pragma inflight set m = 70
#pragma inflight buffer pixel = uniform(0, 255)
#pragma inflight buffer picture = uniform(0, 255)
#pragma inflight buffer key = uniform(0, 5999)
#pragma inflight buffer wide = zero
#pragma inflight buffer wide length 6000
void private_tables(int n, int m, const unsigned char pixel[restrict n], const unsigned short key[restrict n],
                    const unsigned char picture[restrict 9][m], short few[restrict 256], unsigned signs[restrict 16],
                    unsigned *restrict wide, unsigned char rows[restrict 64])
{
    for (int i = 0; i < n; i++) {
        few[pixel[i]]++;
        if (pixel[i] > 99)
            signs[pixel[i] & 15] -= 1000000007;
        else
            signs[key[i] % 16] += 7;
        wide[key[i]] += pixel[i];
    }
    for (int r = 0; r < 9; r++)
        for (int c = 0; c < m; c++)
            rows[picture[r][c] & 63] ^= (unsigned char)(r + 1);
}
