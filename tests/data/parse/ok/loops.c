/* Every way to count, and some that do not count simply. */
void loops(int n, int bs, unsigned long u, double *a)
{
    int i, j;
    for (i = 0; i < n; ++i)
        a[i] = 0;
    for (i = n - 1; i >= 0; i--)
        a[i] = 1;
    for (i = 0; n > i; i += 2)
        a[i] = 2;
    for (i = n; i > 0; i -= 3)
        a[i - 1] = 3;
    for (i = 0; i != n; i = i + 1)
        a[i] = 4;
    for (i = 0; i <= n - 1; i = 4 + i)
        a[i] = 5;
    for (i = 9; i >= 1; i = i - 2)
        a[i] = 6;
    for (int k = 0, l = n; k < l; k++, l--)
        a[k] = l;
    for (j = 0; j < n; j += bs)
        a[j] = 7;
    for (i = 0; i < n && i < 100; i++)
        a[i] = 8;
    for (i = 0; i < n; i++)
        if (a[i] > 0)
            i++;
    for (unsigned long k = u; k-- > 0;)
        a[k] = 9;
    for (i = 0; i < n;) {
        a[i] = 10;
        i++;
    }
    for (;;)
        break;
    for (; i < n; i++)
        ;
    for (i = 0;; i++)
        if (i > n)
            break;
    for (i = 0; i + 1 < n; i++)
        a[i] = 11;
    for (i = 0; n >= 4 + i; i += 4)
        a[i] = 12;
    for (i = 9; i - 2 > 3; i--)
        a[i] = 13;
    for (unsigned long k = 0; k + 2 <= u; k++)
        a[k] = 14;
    for (unsigned long k = 0; k - 1 < u; k++)
        a[k] = 15;
    for (unsigned long k = 0; k + 4 < 3; k++)
        a[k] = 16;
    for (i = 0; i + 1u < u; i++)
        a[i] = 17;
    for (i = 0; 2 * i < n; i++)
        a[i] = 18;
}
