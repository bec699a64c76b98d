/*
 * low_pass: A recursive filter: a chain of additions and multiplications through the whole signal.
 */
#pragma inflight kernel
#pragma inflight set n = 15000000
void low_pass(long n, double out[restrict n], const double in[restrict n])
{
    double state = 0;
    for (long i = 0; i < n; i++) {
        state = 0.9 * state + 0.1 * in[i];
        out[i] = state;
    }
}
