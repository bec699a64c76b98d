#pragma inflight set n = 5
static void first(int n, int *a)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
}
#pragma inflight kernel
void two(int n, int *a)
{
    first(n, a);
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}
