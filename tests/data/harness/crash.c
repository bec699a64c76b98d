#pragma inflight set n = 100
void crash(int n, double a[n])
{
    for (int i = 0; i < n; i++)
        a[i] = *(volatile double *)0;
}
