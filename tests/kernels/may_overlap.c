/*
 * may_overlap: Two pointers of which nobody says that they are apart.
 */
#pragma inflight kernel
#pragma inflight set n = 12000000
#pragma inflight buffer a length n
#pragma inflight buffer b length n
void may_overlap(long n, double *a, const double *b)
{
    for (long i = 0; i < n; i++)
        a[i] = 0.5 * a[i] + b[i];
}
