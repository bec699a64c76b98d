/* How far a[] reaches is known only when the loop runs. */
void kernel(int n, double *a, double *x, int *p)
{
    for (int i = 0; i < n; i++)
        a[p[i]] = x[i];
}
