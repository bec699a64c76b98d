/* A pointer that walks along b, and then along a. */
void walking(int n, double *restrict a, const double *restrict b)
{
    const double *p = b;
    for (int i = 0; i < n; i++)
        a[i] = *p++;
    p = a;
    for (int i = 0; i + 1 < n; i++)
        a[i] = 0.5 * *p++;
}
