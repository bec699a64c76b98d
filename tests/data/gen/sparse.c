/* Loops whose bounds are read from memory: rows of a sparse matrix, by locals, forwards and back, scattered, and rows
 * of rows. */
void kernel(int n, double *restrict a, double *restrict b, double *restrict c, double x[restrict n], double y[restrict n],
            int p[restrict n])
{
    unsigned bits = 1;
    for (int i = 0; i < n - 1; i++) {
        int from = p[i], to = p[i + 1];
        unsigned row = 0;
        for (int k = from; k < to; k++) {
            c[p[k]] += a[k] * x[i]; /* scattered */
            row += (unsigned)p[k] * 3;
        }
        bits ^= row;
    }
    x[0] = bits % 1024;
    for (int i = 0; i < n - 1; i++)
        for (int k = p[i + 1] - 1; k >= p[i]; k -= 2)
            b[k] = b[k] * 0.5 + x[p[k]];
    for (int i = 0; i < n - 1; i++) {
        double s = 0.0;
        for (int k = p[i]; k < p[i + 1]; k++) {
            double t = 0.0;
            for (int l = 0; l < p[k] % 7; l++)
                t += a[l] * x[p[l]];
            s += t * a[k];
        }
        y[i] = s;
    }
    for (int i = 0; i < n - 1; i++) {
        unsigned sum = 0;
        for (int m = p[i]; m < p[i + 1]; m++)
            sum += (unsigned)p[m] * 3;
        y[i] += sum;
    }
}
