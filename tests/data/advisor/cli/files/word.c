#pragma inflight st n = 100
void wrong_word(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}
