void kernel(int n, double *restrict a, double b[restrict n][n], double *c, double x[restrict n], double y[restrict n], int p[restrict n])
{
    (void)a;
    (void)c;
    (void)b;
    for (int i = 0; i < n; i++) {
        int key = p[i];
        int at = key & 15;
        while (x[at] > 0)
            at = (at + 1) & 15;
        y[i] = x[at];
    }
}
