void other(double *where);

void kernel(int n, double *moves, double *a, double **rows, volatile double *seen, int *p)
{
    for (int i = 0; i < n; i++)
        if (n > 1) *moves++ = 0.0;
    for (int i = 0; i < n; i++)
        other(&a[i]);
    for (int i = 0; i < n; i++)
        if (a[i] > 1.0)
            break;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            rows[i] = a + j;
    for (int i = 0; i < n; i++)
        seen[i] = 0.0;
    for (int i = 0; i < n; i++)
        if (p[i])
            i++;
    for (int i = 0; i < p[n]; i++)
        p[i] = 0;
    for (int i = 0; i < n; i++)
        a[i] += 1.0;
}
