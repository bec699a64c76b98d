/* After conjugate gradients as tuned programs have it: both updates in one loop.
 * Nothing to gain: one loop already, at the speed of memory; what is stored was read
 * before. */
#pragma inflight kernel
#pragma inflight set n = 6000000
#pragma inflight set alpha = 0
void fused_update(int n, double alpha, double x[restrict n], double r[restrict n],
                  const double p[restrict n], const double q[restrict n])
{
    for (int i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
    }
}
