void f(unsigned n, int *a)
{
    for (unsigned i = 0; i != n; ++i)
        a[i] ^= 1u;
}
