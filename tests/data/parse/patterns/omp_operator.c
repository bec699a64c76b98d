void f(int n, double *a)
{
    _Pragma("omp parallel for")
    for (int i = 0; i < n; i++)
        a[i] = i;
}
