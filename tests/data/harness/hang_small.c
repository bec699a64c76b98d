#pragma inflight set n = 5000
void hang_small(int n, double a[n])
{
    for (int i = 0; i < n; i++)
        while (n < 4000 && *(volatile double *)&a[i] >= 0)
            ;
}
