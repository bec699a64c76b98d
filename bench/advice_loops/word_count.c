/* After the program that counts words, which a series of articles made faster in many
 * languages: a state and two branches for each byte. Known remedy: a word begins where
 * a letter follows a space: comparisons of neighbours, counted as bytes. */
#pragma inflight kernel
#pragma inflight set n = 16000000
#pragma inflight buffer text = uniform(26, 38)
int word_count(int n, const unsigned char text[restrict n])
{
    int words = 0, inside = 0;
    for (int i = 0; i < n; i++) {
        if (text[i] <= 32) {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            words++;
        }
    }
    return words;
}

enum { LANES = 128 };

int hand(int n, const unsigned char text[restrict n])
{
    int words = n > 0 && text[0] > 32, i = 1;
    while (i + LANES <= n) {
        unsigned char lane[LANES] = {0};
        for (int k = 0; k < 255 && i + LANES <= n; k++, i += LANES)
            for (int v = 0; v < LANES; v++)
                lane[v] += (text[i + v] > 32) & (text[i + v - 1] <= 32);
        for (int v = 0; v < LANES; v++)
            words += lane[v];
    }
    for (; i < n; i++)
        words += (text[i] > 32) & (text[i - 1] <= 32);
    return words;
}
