/*
 * longest_common: Longest common subsequence with the whole table.
 */
#pragma inflight kernel
#pragma inflight set n = 3000
#pragma inflight set m = 3000
#pragma inflight buffer a = index(4)
#pragma inflight buffer b = index(4)
#pragma inflight buffer t = zero
void longest_common(int n, int m, const int a[restrict n], const int b[restrict m], int t[restrict n + 1][m + 1])
{
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++)
            t[i][j] = a[i - 1] == b[j - 1] ? t[i - 1][j - 1] + 1
                                           : (t[i - 1][j] > t[i][j - 1] ? t[i - 1][j] : t[i][j - 1]);
}
