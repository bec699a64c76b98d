static double *hidden;
#pragma inflight set n = 100
void fill(int n)
{
    for (int i = 0; i < n; i++)
        hidden[i] = i;
}
