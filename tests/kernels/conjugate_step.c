/*
 * conjugate_step: One step of conjugate gradients on a dense matrix.
 */
#pragma inflight kernel
#pragma inflight set n = 2500
double conjugate_step(int n, const double A[restrict n][n], double x[restrict n], double r[restrict n],
                      double p[restrict n], double q[restrict n])
{
    double rr = 0, pq = 1e-3, next = 0;

    for (int i = 0; i < n; i++) {
        q[i] = 0;
        for (int j = 0; j < n; j++)
            q[i] += A[i][j] * p[j];
    }
    for (int i = 0; i < n; i++) {
        rr += r[i] * r[i];
        pq += p[i] * q[i];
    }
    for (int i = 0; i < n; i++) {
        x[i] = 0.5 * x[i] + rr / pq * p[i];
        r[i] = 0.5 * r[i] - 1e-6 * rr / pq * q[i];
        next += r[i] * r[i];
    }
    for (int i = 0; i < n; i++)
        p[i] = r[i] + 0.1 * p[i] * next / (rr + next + 1e-9);
    return next;
}
