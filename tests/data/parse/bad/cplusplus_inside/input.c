template <class T> void cplusplus(int n, T *a)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
