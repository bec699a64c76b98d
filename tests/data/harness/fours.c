/* Only for multiples of four, as the sizes that it is used with are. */
#pragma inflight kernel
#pragma inflight set n = 400
void by_fours(int n, double a[n])
{
    double *p = a;
    for (int i = 0; i < n; i += 4, p += 4)
        for (int k = 0; k < 4; k++)
            p[k] = p[k] * 2;
}
