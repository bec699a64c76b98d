void kernel(int n, double *restrict x)
{
    for (int i = 0; i < n; i++)
        x[i] = j0(x[i]);
}
