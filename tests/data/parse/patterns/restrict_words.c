void f(int n, double *__restrict a, double *__restrict__ b)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}
