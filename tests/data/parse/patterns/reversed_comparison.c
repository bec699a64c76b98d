void f(int n, int *a)
{
    for (int i = 0; n > i; i = i + 1)
        a[i] <<= 1;
}
