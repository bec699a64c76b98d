void f(int n, double *a, const int *k)
{
    for (int i = 0; i < n; i++)
        switch (k[i]) {
        case 0:
            a[i] = 0;
            break;
        default:
            a[i] = 1;
        }
    for (int i = 0; i < n; i++)
        a[i] += 1;
}
