/* Records of 16 numbers taken apart into columns, one column after the other: of each
 * line that comes an eighth is wanted, and 128 MiB of others pass until it comes again.
 */
#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight buffer column = zero
void unpack_2d(int n, double column[restrict 16][n], const double record[restrict n][16])
{
    for (int f = 0; f < 16; f++)
        for (int i = 0; i < n; i++)
            column[f][i] = record[i][f];
}

/* Each line once: 64 records and then all their fields. */
void remedy(int n, double column[restrict 16][n], const double record[restrict n][16])
{
    for (int it = 0; it < n; it += 64)
        for (int f = 0; f < 16; f++)
            for (int i = it; i < (it + 64 < n ? it + 64 : n); i++)
                column[f][i] = record[i][f];
}
