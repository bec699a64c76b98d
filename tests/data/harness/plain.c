/* A result of its own, pointers without extent, an unsized output. */
#pragma inflight kernel
#pragma inflight set n = 5000
double scale(int n, double s, const double *a, double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        b[i] = b[i] + s * a[i];
        sum += b[i];
    }
    return sum;
}
