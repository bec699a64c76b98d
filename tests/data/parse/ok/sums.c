void sums(int n, int *a, double *x)
{
    for (int i = 0; i < n; i++) {
        a[i] = a[n - 1 - i] + 1;
        a[2 * i - n] = 2 - i + 3 * (i - 1);
        x[i] = x[i] + 1 - 2;
        a[i] = 1 + a[i];
    }
}
