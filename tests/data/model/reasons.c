double total(const double *where);

void kernel(int n, int block, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = total(&x[i]);
    for (int ii = 0; ii < n; ii += block)
        y[ii] = 0.0;
    for (int i = 0; i < n; i++) {
#pragma omp critical
        for (int j = 0; j < n; j++)
            y[j] += x[i];
    }
    for (int i = 0; i < n; i++)
        switch (i) {
        default:
            y[i] = 1.0;
        case 3:;
        }
}
