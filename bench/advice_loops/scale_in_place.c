/* After one of the four kernels of bandwidth benchmarks, in place. Nothing to gain:
 * vectors already, and each line moves once in each direction: what is stored was read,
 * so nothing is to be saved. */
#pragma inflight kernel
#pragma inflight set n = 24000000
#pragma inflight set s = 1
void scale_in_place(int n, double s, double a[restrict n])
{
    for (int i = 0; i < n; i++)
        a[i] = s * a[i];
}
