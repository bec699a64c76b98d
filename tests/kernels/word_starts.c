/*
 * word_starts: Where conditions begin and end to hold, by flags that the loop keeps from byte to byte.
 */
#pragma inflight kernel
#pragma inflight set n = 3000
#pragma inflight set m = 700
#pragma inflight buffer text = uniform(26, 38)
#pragma inflight buffer key = uniform(0, 3)
int word_starts(int n, int m, const unsigned char text[restrict n], const unsigned short key[restrict m],
                long ends[restrict 3])
{
    int words = 0, inside = 0, first = 1, last = 0;
    long stops = 7;

    for (int i = 0; i < n; i++) {
        if (text[i] <= 32) {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            words++;
        }
    }
    for (int i = 2; i < m; i++)
        if (key[i] & 2) {
            first = 0;
            last = 0;
        } else if (first == 0) {
            first = 1;
            stops += 1;
        }
    for (int i = 0; i < m; i++)
        if (key[i]) {
            last = 1;
        } else {
            if (last)
                stops++;
            last = 0;
        }
    ends[0] = stops;
    ends[1] = first;
    ends[2] = last;
    return words * 2 + inside;
}
