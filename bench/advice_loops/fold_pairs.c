/* After Nussinov's algorithm for the folding of ribonucleic acids, a standard case of
 * papers on loops of dynamic programming: the best split of a span runs along a row and
 * down a column. Known remedy: the end of the span inside, the split outside, so that
 * both tables are read along rows: vectors. */
#pragma inflight kernel
#pragma inflight set n = 1000
#pragma inflight buffer best = zero
#pragma inflight buffer base = uniform(0, 3)
void fold_pairs(int n, int best[restrict n][n], const int base[restrict n])
{
    for (int i = n - 1; i >= 0; i--) {
        best[i][i] = 0;
        for (int j = i + 1; j < n; j++) {
            int most = (base[i] + base[j] == 3) + (j > i + 1 ? best[i + 1][j - 1] : 0);
            for (int k = i; k < j; k++)
                if (best[i][k] + best[k + 1][j] > most)
                    most = best[i][k] + best[k + 1][j];
            best[i][j] = most;
        }
    }
}

/* In round k all that ends at k has been compared with all its splits. */
void hand(int n, int best[restrict n][n], const int base[restrict n])
{
    for (int i = n - 1; i >= 0; i--) {
        int *row = best[i];
        row[i] = 0;
        for (int j = i + 1; j < n; j++)
            row[j] = (base[i] + base[j] == 3) + (j > i + 1 ? best[i + 1][j - 1] : 0);
        for (int k = i; k < n - 1; k++) {
            const int *rest = best[k + 1];
            int left = row[k];
#pragma GCC ivdep
            for (int j = k + 1; j < n; j++)
                row[j] = left + rest[j] > row[j] ? left + rest[j] : row[j];
        }
    }
}
