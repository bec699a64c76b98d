/* The last j of an even i is in no complete block of two. */
#pragma inflight kernel
void kernel(int n, double *a, const double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - i; j++)
            a[j] = b[i] * 0.5;
}
