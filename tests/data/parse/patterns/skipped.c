void f(int n, double *a)
{
#if 0
    for (;;) {
#endif
    for (int i = 0; i < n; i++)
#ifdef NEVER
        a[i] = 2;
#else
        a[i] = 1;
#endif
}
