/*
 * split_recurrence: A recurrence and independent work in one loop: apart, the second becomes vectors.
 */
#pragma inflight kernel
#pragma inflight set n = 8000000
void split_recurrence(long n, double r[restrict n], double y[restrict n], const double x[restrict n])
{
    for (long i = 1; i < n; i++) {
        r[i] = 0.5 * r[i - 1] + x[i];
        y[i] = x[i] * x[i] * x[i] - 2.0 * x[i] + 1.0 / (x[i] + 3.0);
    }
}
