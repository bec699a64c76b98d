/*
 * newton_each: A root for each element, found by as many steps as it takes.
 */
#pragma inflight kernel
#pragma inflight set n = 600000
void newton_each(long n, double out[restrict n], const double in[restrict n])
{
    for (long i = 0; i < n; i++) {
        double x = in[i];
        int steps = 0;
        while (x * x - in[i] > 1e-12 && steps < 50) {
            x = 0.5 * (x + in[i] / x);
            steps++;
        }
        out[i] = x;
    }
}
