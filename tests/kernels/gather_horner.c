/*
 * gather_horner: A look-up in a table beyond all caches, then a polynomial in what was found: the
 * window fills with arithmetic.
 */
#pragma inflight kernel
#pragma inflight set n = 3000000
#pragma inflight set m = 60000000
#pragma inflight buffer index = index(m)
#pragma inflight buffer table = uniform(-1, 1)
void gather_horner(long n, long m, double *out, const double table[m], const int index[n])
{
    for (long i = 0; i < n; i++) {
        double x = table[index[i]];
        double p = 0.031;

        p = p * x + 0.11; p = p * x - 0.23; p = p * x + 0.37; p = p * x - 0.41;
        p = p * x + 0.43; p = p * x - 0.53; p = p * x + 0.59; p = p * x - 0.61;
        p = p * x + 0.67; p = p * x - 0.71; p = p * x + 0.73; p = p * x - 0.79;
        p = p * x + 0.83; p = p * x - 0.89; p = p * x + 0.97; p = p * x - 0.13;
        out[i] = p;
    }
}
