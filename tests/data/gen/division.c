/* Quotients and remainders by what the loop leaves alone, signed and not, wider and
 * narrower than what is divided, and in place. */
void kernel(int n, int d, unsigned u, short s, const int *restrict x, int *restrict q,
            int *restrict r, unsigned *restrict uq, unsigned *restrict ur)
{
    for (int i = 0; i < n; i++) {
        q[i] = x[i] / d;
        r[i] = x[i] % d;
        uq[i] = x[i] / u;
        ur[i] = (unsigned)x[i] % u;
        if (s) {
            uq[i] += (unsigned)(x[i] / s);
            uq[i] %= u;
            r[i] /= s;
        }
    }
}
