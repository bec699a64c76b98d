void kernel(int n, double *a, double *b, double *c, double x[restrict n], double y[restrict n], int *p)
{
    double alpha = -0.3, beta = 1.0, sum;
    (void)a, (void)b, (void)c, (void)p;
    y[0] = -x[0];
    for (int k = 1; k < n; k++) {
        beta = (1.0 - alpha * alpha) * beta;
        sum = 0.0;
        for (int i = 0; i < k; i++)
            sum += x[k - i - 1] * y[i];
        alpha = -(x[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            y[i] = y[i] + alpha * 1e-3 * x[k - i - 1];
        y[k] = alpha;
    }
}
