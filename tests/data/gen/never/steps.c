/* A number that each iteration makes of the one before: sums, and what is none. */
double kernel(int n, const double *restrict y)
{
    double s = 1, u = 2, v = 3, w = 4;
    for (int i = 0; i < n; i++)
        s += y[i];
    for (int j = 0; j < n; j++)
        w = y[j] - w;
    for (int k = 0; k < n; k++)
        u = u * 0.5 + y[k];
    for (int l = 0; l < n; l++)
        v = y[l] / v;
    return s + u + v + w;
}
