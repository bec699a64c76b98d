#pragma inflight set n = 100
void shrink(int n, const float a[n], float b[n])
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 1e-40f;
}
