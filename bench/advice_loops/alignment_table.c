/* After textbooks' distance of two strings in one row: each cell waits for its left
 * neighbour. Known remedy: diagonals, whose cells do not wait for each other. */
#pragma inflight kernel
#pragma inflight set n = 3000
#pragma inflight set m = 3000
#pragma inflight buffer a = uniform(65, 70)
#pragma inflight buffer b = uniform(65, 70)
#pragma inflight buffer row = zero
void alignment_table(int n, int m, int row[restrict m + 1],
                     const unsigned char a[restrict n], const unsigned char b[restrict m])
{
    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 0; i < n; i++) {
        int corner = row[0];
        row[0] = i + 1;
        for (int j = 0; j < m; j++) {
            int up = row[j + 1], left = row[j], least = corner + (a[i] != b[j]);
            least = up + 1 < least ? up + 1 : least;
            least = left + 1 < least ? left + 1 : least;
            row[j + 1] = least;
            corner = up;
        }
    }
}

/* Three diagonals, by the place in a; b backwards, so that it is read in order. */
void hand(int n, int m, int row[restrict m + 1], const unsigned char a[restrict n],
          const unsigned char b[restrict m])
{
    int diagonal[3][n > 0 ? n + 1 : 1];
    unsigned char back[m > 0 ? m : 1];
    if (n <= 0)
        for (int j = 0; j <= m; j++)
            row[j] = j;
    for (int j = 0; j < m; j++)
        back[m - 1 - j] = b[j];
    for (int s = 0; n > 0 && s <= n + m; s++) {
        int *now = diagonal[s % 3];
        const int *last = diagonal[(s + 2) % 3], *before = diagonal[(s + 1) % 3];
        int from = s > m ? s - m : 0, to = s < n ? s : n;
        int first = from > 1 ? from : 1, end = to < s ? to + 1 : s;
        if (from == 0)
            now[0] = s;
        if (to == s)
            now[s] = s;
        if (first < end) {
#pragma GCC ivdep
            for (int i = first; i < end; i++) {
                int least = before[i - 1] + (a[i - 1] != back[i + m - s]);
                int side = last[i] < last[i - 1] ? last[i] + 1 : last[i - 1] + 1;
                now[i] = side < least ? side : least;
            }
        }
        if (s >= n)
            row[s - n] = now[n];
    }
}
