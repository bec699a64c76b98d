/* Numbers of which compilers make no vectors. */
void kernel(int n, double _Complex *restrict a, const double _Complex *restrict b, _Bool *restrict c)
{
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    for (int j = 0; j < n; j++)
        c[j] = 1;
}
