#pragma inflight set n = 101
void overrun(int n, double a[n])
{
    for (int i = 0; i < n; i++)
        a[i] = 1;
    double *end = a + n;
    end[2] = 5;
}
