/* Two lists compared node by node: two loads wait each for the one before of its list,
 * and neither for the other. Four pairs, one after the other. */
#pragma inflight kernel
#pragma inflight set steps = 65536
#pragma inflight set n = 8388608
#pragma inflight buffer a = cycle(16, 65536)
#pragma inflight buffer b = cycle(16, 65536)
long twins_flat(long steps, long n, const long a[restrict n], const long b[restrict n])
{
    long same = 0;
    for (long pair = 0; pair < 4; pair++) {
        long p = pair * (n / 4), q = (3 - pair) * (n / 4);
        for (long i = 0; i < steps; i++) {
            p = a[p];
            q = b[q];
            same += p == q;
        }
    }
    return same;
}

/* All pairs at once. */
long remedy(long steps, long n, const long a[restrict n], const long b[restrict n])
{
    long p[4], q[4], same = 0;
    for (long pair = 0; pair < 4; pair++) {
        p[pair] = pair * (n / 4);
        q[pair] = (3 - pair) * (n / 4);
    }
    for (long i = 0; i < steps; i++)
        for (long pair = 0; pair < 4; pair++) {
            p[pair] = a[p[pair]];
            q[pair] = b[q[pair]];
            same += p[pair] == q[pair];
        }
    return same;
}
