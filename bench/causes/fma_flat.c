/* Four polynomials at each of the points, which lie in the L1 cache: 28 multiplications
 * with additions for two loads and a store, in four chains, and none of a point waits for
 * another's. */
#define POLY(x, a, b, c, d, e, f, g, h)                                                  \
    (((((((a * x + b) * x + c) * x + d) * x + e) * x + f) * x + g) * x + h)

#pragma inflight kernel
#pragma inflight set rounds = 10000
#pragma inflight set n = 1024
#pragma inflight buffer y = zero
#pragma inflight buffer c = uniform(0.1, 1)
void fma_flat(int rounds, int n, double y[restrict n], const double x[restrict n],
              const double c[restrict 8])
{
    double s = c[0], t = c[1], u = c[2], v = c[3];
    for (int r = 0; r < rounds; r++) {
        double by = 1.0 / (r + 1);
        for (int i = 0; i < n; i++) {
            double z = by * x[i];
            y[i] += (POLY(z, s, t, u, v, s, t, u, v) + POLY(z, t, u, v, s, t, u, v, s)) +
                    (POLY(z, u, v, s, t, u, v, s, t) + POLY(z, v, s, t, u, v, s, t, u));
        }
    }
}

/* The coefficients are added before: one polynomial is left. */
void remedy(int rounds, int n, double y[restrict n], const double x[restrict n],
            const double c[restrict 8])
{
    double s = (c[0] + c[1]) + (c[2] + c[3]);
    for (int r = 0; r < rounds; r++) {
        double by = 1.0 / (r + 1);
        for (int i = 0; i < n; i++) {
            double z = by * x[i];
            y[i] += POLY(z, s, s, s, s, s, s, s, s);
        }
    }
}
