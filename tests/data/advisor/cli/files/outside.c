double g(double);
void outside(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = g(a[i]);
}
