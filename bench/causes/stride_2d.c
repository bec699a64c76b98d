/* stride_flat with two subscripts, short, and the largest of each column. */
#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer y = zero
void stride_2d(int n, short y[restrict 32], const short a[restrict n][32])
{
    for (int o = 0; o < 32; o++)
        for (int i = 0; i < n; i++)
            y[o] = y[o] > a[i][o] ? y[o] : a[i][o];
}
