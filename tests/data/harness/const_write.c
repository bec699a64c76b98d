static double *hidden;

static void keep(const double *a)
{
    hidden = (double *)a;
}

static void poke(int i)
{
    hidden[i] = 1;
}

#pragma inflight kernel
#pragma inflight set n = 100
void cheat(int n, const double a[n], double b[n])
{
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    keep(a);
    poke(n / 2);
}
