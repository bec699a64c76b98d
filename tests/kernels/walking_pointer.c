/*
 * walking_pointer: A pointer that is moved along with the loop.
 */
#pragma inflight kernel
#pragma inflight set n = 10000000
#pragma inflight buffer to length n
#pragma inflight buffer from length n
void walking_pointer(long n, double *restrict to, const double *restrict from)
{
    for (long i = 0; i < n; i++)
        *to++ = 2.0 * *from++;
}
