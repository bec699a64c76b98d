/* Eight lists, each walked to its end before the next: every load waits for the one
 * before. */
#pragma inflight kernel
#pragma inflight set steps = 131072
#pragma inflight set n = 16777216
#pragma inflight buffer next = cycle(16, 65536)
long lists_scalar(long steps, long n, const long next[restrict n])
{
    long sum = 0;
    for (long k = 0; k < 8; k++) {
        long p = k * (n / 8);
        for (long i = 0; i < steps; i++)
            p = next[p];
        sum += p;
    }
    return sum;
}

/* All lists at once. */
long remedy(long steps, long n, const long next[restrict n])
{
    long p[8], sum = 0;
    for (long k = 0; k < 8; k++)
        p[k] = k * (n / 8);
    for (long i = 0; i < steps; i++)
        for (long k = 0; k < 8; k++)
            p[k] = next[p[k]];
    for (long k = 0; k < 8; k++)
        sum += p[k];
    return sum;
}
