/*
 * narrow_counts: Comparisons that are counted: under a condition, as sums, two in an iteration, in a row of a
 * picture, of wide elements; most of them always true, so that a counter that is too narrow would wrap around. And
 * some that are no counts.
 */
#pragma inflight kernel
#pragma inflight set n = 3000
#pragma inflight set m = 700
#pragma inflight buffer a = uniform(1, 9)
#pragma inflight buffer b = uniform(0, 1)
void narrow_counts(int n, int m, const unsigned char a[restrict n], const unsigned short b[restrict n],
                   const unsigned char picture[restrict 7][m], long result[restrict 10], unsigned row[restrict 7])
{
    long some = 7;
    unsigned all = 0, twice = ~0u, either = 0, weights = 0;
    int most = -5, sum = 0, mixed = 0;
    short narrow = 0;

    for (int i = 0; i < n; i++) {
        if (a[i] > 4)
            some++;
        all += a[i] != 0;
        twice += a[i] > 0;
        if (a[i])
            twice += 1;
        if (b[i] == 0)
            either++;
        else
            either += 2;
        most = most + (b[i] < 7 && a[i] < 20);
        weights += 3 * (a[i] & 3);
        narrow += a[i] >= 1;
        sum += a[i];
        mixed += a[i] < 20;
        mixed -= a[i] == 3;
    }
    for (int r = 0; r < 7; r++)
        for (int i = 0; i < m; i++)
            row[r] += picture[r][i] < 250;
    result[0] = some;
    result[1] = all;
    result[2] = twice;
    result[3] = either;
    result[4] = most;
    result[5] = weights;
    result[6] = narrow;
    result[7] = sum;
    result[8] = mixed;
}
