#pragma inflight set n = 100
#pragma inflight buffer a = zero
void divide(int n, const double a[n], double b[n])
{
    for (int i = 0; i < n; i++)
        b[i] = (i % 2 ? a[i] : 1) / (i % 2 ? a[i] : 1);
}
