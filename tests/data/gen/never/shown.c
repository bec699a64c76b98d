double *see(double *x);

void kernel(int n, const double *restrict y)
{
    double alpha = 2.0, *x;
    x = see(&alpha);
    for (int k = 0; k < n; k++)
        x[k] += y[k] * alpha;
}
