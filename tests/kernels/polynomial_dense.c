/*
 * polynomial_dense: Horner's rule, degree 32, on arrays in the first cache, again and again.
 */
#pragma inflight kernel
#pragma inflight set n = 1000
#pragma inflight set rounds = 2000
#pragma inflight buffer x = uniform(0.1, 0.7)
void polynomial_dense(int n, int rounds, double y[restrict n], const double x[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            double p = 0.5 + y[i] * 1e-9;
            p = p * x[i] + 0.11; p = p * x[i] - 0.12; p = p * x[i] + 0.13; p = p * x[i] - 0.14;
            p = p * x[i] + 0.15; p = p * x[i] - 0.16; p = p * x[i] + 0.17; p = p * x[i] - 0.18;
            p = p * x[i] + 0.19; p = p * x[i] - 0.20; p = p * x[i] + 0.21; p = p * x[i] - 0.22;
            p = p * x[i] + 0.23; p = p * x[i] - 0.24; p = p * x[i] + 0.25; p = p * x[i] - 0.26;
            p = p * x[i] + 0.27; p = p * x[i] - 0.28; p = p * x[i] + 0.29; p = p * x[i] - 0.30;
            p = p * x[i] + 0.31; p = p * x[i] - 0.32; p = p * x[i] + 0.33; p = p * x[i] - 0.34;
            p = p * x[i] + 0.35; p = p * x[i] - 0.36; p = p * x[i] + 0.37; p = p * x[i] - 0.38;
            y[i] = p;
        }
}
