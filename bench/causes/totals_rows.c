/* Totals of the columns of a table of 8 MiB, again and again: the table comes from the L3
 * cache, the totals lie in L1. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#pragma inflight kernel
#pragma inflight set rounds = 100
#pragma inflight set rows = 2048
#pragma inflight buffer total = zero
void totals_rows(int rounds, int rows, unsigned total[restrict 1024],
                 const unsigned table[restrict rows][1024])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < 1024; j++)
                total[j] += table[i][j] ^ (unsigned)r;
}

/* All rounds of two rows before the next. */
void remedy(int rounds, int rows, unsigned total[restrict 1024],
            const unsigned table[restrict rows][1024])
{
    for (int it = 0; it < rows; it += 2)
        for (int r = 0; r < rounds; r++)
            for (int i = it; i < MIN(it + 2, rows); i++)
                for (int j = 0; j < 1024; j++)
                    total[j] += table[i][j] ^ (unsigned)r;
}
