void qualified(int n, const double *const *rows, double *restrict *restrict out, volatile int *flag,
               double (*apply)(const double *, int), char *const names[], int (*grid)[4][5], double *last[3])
{
    for (int i = 0; i < n; i++) {
        out[i][0] = rows[i][0] + apply(rows[i], n);
        *flag = names[i][0];
        grid[i][1][2] = *(const int *)flag;
        last[i % 3] = (double *)(void *)out[i] + (((double(*)[4])(void *)out[0])[1] - last[0]);
    }
}
