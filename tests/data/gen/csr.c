/* Rows that follow one another in a and p, as in CSR: row i is [p[i], p[i + 1]). */
void kernel(int n, double *restrict a, double *b, double *c, double x[restrict n], double y[restrict n], int p[restrict n])
{
    (void)b, (void)c;
    for (int i = 0; i < n - 1; i++) {
        double s = 0.0;
        for (int k = p[i]; k < p[i + 1]; k++) {
            int column = p[k];
            s += a[k] * x[column];
        }
        y[i] = s;
    }
}
