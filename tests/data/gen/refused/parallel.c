void kernel(int n, double *a)
{
#pragma omp for
    for (int i = 0; i < n; i++)
        a[i] = 0.0;
}
