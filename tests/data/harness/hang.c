#pragma inflight set n = 100
void hang(int n, double a[n])
{
    for (int i = 0; i < n; i++)
        while (*(volatile double *)&a[i] >= 0)
            ;
}
