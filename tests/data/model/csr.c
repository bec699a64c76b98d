void kernel(int n, const int *restrict row, const int *restrict col,
            const double *restrict val, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = row[i]; k < row[i + 1]; k++)
            sum += val[k] * x[col[k]];
        y[i] = sum;
    }
}
