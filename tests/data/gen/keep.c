/* What a condition keeps: on two sides, of several types and places, by rows; and what it
 * replaces. */
struct record {
    short key;
    float weight;
};

long kernel(int n, int m, int limit, int a[restrict n][m], const float x[restrict n][m],
            int *restrict low, unsigned char *restrict high,
            struct record *restrict record, int row[restrict n][m],
            double best[restrict m], float least[restrict m])
{
    int lows = 0;
    unsigned long highs = 0;
    for (int i = 0; i < n; i++) {
        int keys = 0;
        unsigned odd = 0;
        for (int j = 0; j < m; j++) {
            int v = a[i][j];
            if (v < limit && x[i][j] > 0.25f)
                low[lows++] = v;
            else
                high[highs++] = (unsigned char)v;
            if (x[i][j] < v) {
                record[keys].key = (short)v;
                ++keys;
            }
            if (v & 1) {
                row[i][odd] = a[i][j];
                odd += 1;
            }
            if (x[i][j] < best[j])
                best[j] = x[i][j];
            if (least[j] > v)
                least[j] = v - 0.5;
        }
        record[0].weight += (float)keys + (float)odd;
    }
    return lows * 100000 + (long)highs;
}
