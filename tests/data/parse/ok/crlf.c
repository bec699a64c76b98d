void crlf(int n,
          double *a)
{
#pragma GCC ivdep
    for (int i = 0; i < n; i++)
        a[i] *= \
            2;
}
