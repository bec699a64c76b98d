/* Look-ups that miss, each followed by 52 operations that do not wait for it: they are
 * done soon, but cannot retire before the look-up. Half of them are integers, so that no
 * register file is full first. */
#define WHOLE(a, x, y) a = (a + x) ^ y;
#define WHOLE3(a)                                                                        \
    WHOLE(a, 0x1234567, 0x7654321)                                                       \
    WHOLE(a, 0x2345671, 0x6543217) WHOLE(a, 0x3456712, 0x5432176)
#define REAL(e)  e = e * 0.96875 + 0.25;
#define REAL4(e) REAL(e) REAL(e) REAL(e) REAL(e)

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight set x = 0.5
#pragma inflight buffer index = cycle(1, 4096)
double reorder_flat(int n, double x, const double table[restrict 16 * n],
                    const int index[restrict n])
{
    double sum = 0, p = x, q = 2 * x, r = 3 * x, s = 4 * x, t = 5 * x, u = 6 * x;
    long a = 1, b = 2, c = 3, d = 4;
    for (int i = 0; i < n; i++) {
        sum += table[16 * index[i]];
        WHOLE3(a)
        REAL4(p)
        WHOLE3(b) REAL4(q) REAL4(r) WHOLE3(c) REAL4(s) WHOLE3(d) REAL4(t) REAL4(u)
    }
    return sum + ((p + q) + (r + s)) + (t + u) + (double)(a ^ b ^ c ^ d);
}
