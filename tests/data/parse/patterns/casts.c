void f(long n, float *a, const double *b)
{
    for (int i = 0; i < (int)n; i++)
        a[(unsigned long)i] = (float)b[(long)i + 1] + (float)(i % 3);
}
