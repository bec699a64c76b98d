/* Rounds over two arrays of 192 KiB: too large for any L1 cache, well inside of any L2,
 * and vectors of work that needs no more than one operation each. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#pragma inflight kernel
#pragma inflight set rounds = 1000
#pragma inflight set n = 24576
void second_flat(int rounds, int n, double a[restrict n], const double b[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            a[i] = a[i] * 0.5 + b[i];
}

/* All rounds of 8 KiB before the next. */
void remedy(int rounds, int n, double a[restrict n], const double b[restrict n])
{
    for (int it = 0; it < n; it += 512)
        for (int r = 0; r < rounds; r++)
            for (int i = it; i < MIN(it + 512, n); i++)
                a[i] = a[i] * 0.5 + b[i];
}
