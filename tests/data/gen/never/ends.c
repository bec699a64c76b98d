/* Of several subscripts the outermost are what an array uses. */
void kernel(int n, double *a, const double *b, const double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[j] += b[i] * c[j + 2] + c[j + 1] - c[j + 3];
}
