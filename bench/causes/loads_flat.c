/* Look-ups that miss, each followed by 40 loads from the L1 cache, every one with its
 * addition: they hold their places in the load buffer until the look-up retires. */
#define ROW(s, k) s += w[8 * (k) + c];
#define ROWS(k)                                                                          \
    ROW(s0, k)                                                                           \
    ROW(s1, (k) + 1)                                                                     \
    ROW(s2, (k) + 2)                                                                     \
    ROW(s3, (k) + 3) ROW(s4, (k) + 4) ROW(s5, (k) + 5) ROW(s6, (k) + 6) ROW(s7, (k) + 7)

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight buffer index = cycle(1, 4096)
double loads_flat(int n, const double table[restrict 16 * n],
                  const double w[restrict 320], const int index[restrict n])
{
    double sum = 0, s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    for (int i = 0; i < n; i++) {
        int c = i & 7;
        sum += table[16 * index[i]];
        ROWS(0) ROWS(8) ROWS(16) ROWS(24) ROWS(32)
    }
    return sum + (((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)));
}
