/* Two Newton steps to the cube root of each number, in the L1 cache: four divisions for a
 * load and a store, and no number waits for another. */
#pragma inflight kernel
#pragma inflight set rounds = 10000
#pragma inflight set n = 1024
#pragma inflight buffer root = zero
void cube_flat(int rounds, int n, double root[restrict n], const double a[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            double y = (2.0 + a[i]) / 3.0;
            y = (2.0 * y + a[i] / (y * y)) / 3.0;
            root[i] = (2.0 * y + a[i] / (y * y)) / 3.0;
        }
}

/* Thirds by multiplication, and one division for each step. */
void remedy(int rounds, int n, double root[restrict n], const double a[restrict n])
{
    const double third = 1.0 / 3.0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            double y = (2.0 + a[i]) * third;
            y = (2.0 * y + a[i] / (y * y)) * third;
            root[i] = (2.0 * y + a[i] / (y * y)) * third;
        }
}
