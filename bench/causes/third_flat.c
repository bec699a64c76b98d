/* Rounds over two arrays of 4 MiB by one core: too large for its L2 cache, inside of its
 * L3. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#pragma inflight kernel
#pragma inflight set rounds = 60
#pragma inflight set n = 524288
void third_flat(int rounds, int n, double a[restrict n], const double b[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            a[i] = a[i] * 0.5 + b[i];
}

/* All rounds of 128 KiB before the next. */
void remedy(int rounds, int n, double a[restrict n], const double b[restrict n])
{
    for (int it = 0; it < n; it += 8192)
        for (int r = 0; r < rounds; r++)
            for (int i = it; i < MIN(it + 8192, n); i++)
                a[i] = a[i] * 0.5 + b[i];
}
