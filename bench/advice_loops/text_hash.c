/* After the hash of strings in a widely used language's library, times 31 and plus a
 * character; its vector version in that language's compiler. Known remedy: eight
 * characters at a time, with the powers of 31. */
#pragma inflight kernel
#pragma inflight set n = 60000000
#pragma inflight buffer text = uniform(32, 126)
unsigned text_hash(int n, const unsigned char *text)
{
    unsigned h = 7;
    for (int i = 0; i < n; i++)
        h = 31 * h + text[i];
    return h;
}

enum { SIDE = 32 };

unsigned hand(int n, const unsigned char *text)
{
    unsigned power[SIDE], part[SIDE] = {0}, h = 7;
    int i = 0;
    power[SIDE - 1] = 1;
    for (int v = SIDE - 1; v > 0; v--)
        power[v - 1] = power[v] * 31;
    for (; i + SIDE <= n; i += SIDE) {
        for (int v = 0; v < SIDE; v++)
            part[v] = part[v] * (power[0] * 31) + text[i + v];
        h *= power[0] * 31;
    }
    for (int v = 0; v < SIDE; v++)
        h += part[v] * power[v];
    for (; i < n; i++)
        h = 31 * h + text[i];
    return h;
}
