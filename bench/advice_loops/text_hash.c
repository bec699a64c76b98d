/* After the hash of strings in a widely used language's library, times 31 and plus a
 * character; its vector version in that language's compiler. Known remedy: eight
 * characters at a time, with the powers of 31. */
#pragma inflight kernel
#pragma inflight set rounds = 300
#pragma inflight set n = 100000
#pragma inflight buffer text = uniform(32, 126)
unsigned text_hash(int rounds, int n, const unsigned char *text)
{
    unsigned h = 7;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            h = 31 * h + text[i];
    return h;
}

unsigned hand(int rounds, int n, const unsigned char *text)
{
    unsigned power[32], part[32], h = 7;
    power[31] = 1;
    for (int v = 31; v > 0; v--)
        power[v - 1] = power[v] * 31;
    for (int r = 0; r < rounds; r++) {
        int i = 0;
        for (int v = 0; v < 32; v++)
            part[v] = 0;
        for (; i + 32 <= n; i += 32) {
            for (int v = 0; v < 32; v++)
                part[v] = part[v] * (power[0] * 31) + text[i + v];
            h *= power[0] * 31;
        }
        for (int v = 0; v < 32; v++)
            h += part[v] * power[v];
        for (; i < n; i++)
            h = 31 * h + text[i];
    }
    return h;
}
