/* After challenges to count the lines of a text: comparisons of bytes, summed into 64
 * bits. Known remedy: counted in bytes for 255 rounds, then added up. */
#pragma inflight kernel
#pragma inflight set n = 100000000
#pragma inflight buffer text = uniform(0, 100)
long newlines(long n, const char *text)
{
    long lines = 0;
    for (const char *p = text; p < text + n; p++)
        if (*p == '\n')
            lines++;
    return lines;
}

enum { LANES = 128 };

long hand(long n, const char *text)
{
    long lines = 0, i = 0;
    while (i + LANES <= n) {
        unsigned char lane[LANES] = {0};
        for (int k = 0; k < 255 && i + LANES <= n; k++, i += LANES)
            for (int v = 0; v < LANES; v++)
                lane[v] += text[i + v] == '\n';
        for (int v = 0; v < LANES; v++)
            lines += lane[v];
    }
    for (; i < n; i++)
        lines += text[i] == '\n';
    return lines;
}
