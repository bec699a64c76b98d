/* One read of an array, for bench/samples: what a start state and a load beside change.
 */
#pragma inflight kernel
#pragma inflight set n = 8
double sum(int n, const double a[n])
{
    double s[8] = {0};

    for (int i = 0; i < n; i += 8)
        for (int k = 0; k < 8; k++)
            s[k] += a[i + k];
    return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}
