static _Thread_local double alpha;

void kernel(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * alpha;
}
