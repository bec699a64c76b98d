static void poke(double *at)
{
    *at = 1;
}

#pragma inflight kernel
#pragma inflight set n = 100
void cheat(int n, const double a[n], double b[n])
{
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    poke((double *)a + n / 2);
}
