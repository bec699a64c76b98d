/* Eight lists by fours: four chains of loads, each of which waits for itself alone. */
#pragma inflight kernel
#pragma inflight set steps = 131072
#pragma inflight set n = 16777216
#pragma inflight buffer next = cycle(16, 65536)
long chase4_scalars(long steps, long n, const long next[restrict n])
{
    long sum = 0, m = n / 8;
    for (long half = 0; half < 2; half++) {
        long a = 4 * half * m, b = a + m, c = b + m, d = c + m;
        for (long i = 0; i < steps; i++) {
            a = next[a];
            b = next[b];
            c = next[c];
            d = next[d];
        }
        sum += a + b + c + d;
    }
    return sum;
}

/* All eight at once. */
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
