/* After the search of a text in a text as first courses write it: at each place as many
 * letters are compared as agree. Known remedy: one letter of the word at a time against
 * a block of places, until none of them is left. */
#pragma inflight kernel
#pragma inflight set n = 10000000
#pragma inflight set m = 8
#pragma inflight buffer text = uniform(97, 100)
#pragma inflight buffer word = uniform(97, 100)
int word_places(int n, int m, const unsigned char text[restrict n + m],
                const unsigned char word[restrict m])
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < m && text[i + k] == word[k])
            k++;
        count += k == m;
    }
    return count;
}

enum { BLOCK = 64 };

int hand(int n, int m, const unsigned char text[restrict n + m],
         const unsigned char word[restrict m])
{
    int count = 0, i = 0;
    for (; i + BLOCK <= n && m >= 0; i += BLOCK) {
        unsigned char same[BLOCK], any = 1;
        for (int v = 0; v < BLOCK; v++)
            same[v] = 1;
        for (int k = 0; k < m && any; k++) {
            any = 0;
            for (int v = 0; v < BLOCK; v++) {
                same[v] &= text[i + k + v] == word[k];
                any |= same[v];
            }
        }
        for (int v = 0; v < BLOCK && any; v++)
            count += same[v];
    }
    for (; i < n; i++) {
        int k = 0;
        while (k < m && text[i + k] == word[k])
            k++;
        count += k == m;
    }
    return count;
}
