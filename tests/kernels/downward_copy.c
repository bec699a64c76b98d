/*
 * downward_copy: From the last element to the first, three by three.
 */
#pragma inflight kernel
#pragma inflight set n = 12000000
void downward_copy(long n, double to[restrict n], const double from[restrict n])
{
    for (long i = n - 1; i >= 0; i -= 3)
        to[i] = from[i] + 1.0;
}
