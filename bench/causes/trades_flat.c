/* trades_struct with an array for each of three lists, and long subscripts. */
#pragma inflight kernel
#pragma inflight set n = 8388608
#pragma inflight buffer price = cycle(16, 65536)
#pragma inflight buffer time = cycle(16, 65536)
#pragma inflight buffer client = cycle(16, 65536)
long trades_flat(long n, const long price[restrict n], const long time[restrict n],
                 const long client[restrict n])
{
    long a = 0, b = 0, c = 0, met = 0;
    for (long i = 0; i < n / 16; i++) {
        a = price[a];
        b = time[b];
        c = client[c];
        met += (a == b) + (b == c);
    }
    return met;
}
