#pragma inflight set n = 100
void count(int n, double a[n])
{
    static int calls;
    calls++;
    for (int i = 0; i < n; i++)
        a[i] = calls;
}
