/* loads_flat with rows of two dimensions, and float. */
#define ROW(s, k) s += w[k][c];
#define ROWS(k)                                                                          \
    ROW(s0, k)                                                                           \
    ROW(s1, (k) + 1)                                                                     \
    ROW(s2, (k) + 2)                                                                     \
    ROW(s3, (k) + 3) ROW(s4, (k) + 4) ROW(s5, (k) + 5) ROW(s6, (k) + 6) ROW(s7, (k) + 7)

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight buffer index = cycle(1, 4096)
#pragma inflight buffer w = uniform(-0.001, 0.001)
float loads_rows(long n, const float table[restrict n][32],
                 const float w[restrict 40][16], const long index[restrict n])
{
    float sum = 0, s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    for (long i = 0; i < n; i++) {
        long c = i & 15;
        sum += table[index[i]][0];
        ROWS(0) ROWS(8) ROWS(16) ROWS(24) ROWS(32)
    }
    return sum + (((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)));
}
