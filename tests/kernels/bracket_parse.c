/*
 * bracket_parse: Best bracketing of a chain: a table over intervals, filled from the last row up.
 */
static int larger(int a, int b)
{
    return a > b ? a : b;
}

#pragma inflight kernel
#pragma inflight set n = 700
void bracket_parse(int n, const int s[restrict n], int best[n][n])
{
    for (int i = n - 2; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            best[i][j] = larger(best[i + 1][j] & 1023, best[i][j - 1] & 1023);
            for (int k = i + 1; k < j; k++)
                best[i][j] = larger(best[i][j], (best[i][k] & 255) + (best[k + 1][j] & 255) + s[i] - s[j]);
        }
}
