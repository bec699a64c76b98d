void f(int n, double *a, volatile int *flag)
{
    for (int i = 0; i < n; i++)
        *flag = i;
    for (int i = 0; i < n; i++)
        a[i] = 1;
}
