/* A number that each iteration makes of the one before: sums, products, and what is none. */
double kernel(int n, const double *restrict y)
{
    double p = 1, s = 1, u = 2, v = 3, w = 4;
    for (int i = 0; i < n; i++)
        s += y[i];
    for (int j = 0; j < n; j++)
        w = y[j] - w;
    for (int k = 0; k < n; k++)
        u = u * 0.5 + y[k];
    for (int l = 0; l < n; l++)
        v = y[l] / v;
    for (int m = 0; m < n; m++)
        p *= y[m];
    return p * s + u + v + w;
}
