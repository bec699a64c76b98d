/* Elements along a loop with others between them. */
void kernel(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] = b[2 * i] + 1.0;
    for (int j = 0; j < n; j++)
        a[3 * j] = b[j] * 2.0;
}
