/* A polynomial of many coefficients, which lie in the L1 cache, at one place after
 * another. */
#pragma inflight kernel
#pragma inflight set points = 4000
#pragma inflight set n = 2048
#pragma inflight buffer y = zero
void horner_table(int points, int n, double y[restrict points],
                  const double c[restrict n])
{
    for (int j = 0; j < points; j++) {
        double x = 0.25 + 0.5 * j / points, s = 0;
        for (int i = 0; i < n; i++)
            s = s * x + c[i];
        y[j] = s;
    }
}
