#pragma inflight kernel
void first(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
#pragma inflight kernel
void second(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
