void first(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
int between(int n)
{
    return n;
}
void second(int n, double *a)
{
    while (n--)
        a[n] = 1;
}
