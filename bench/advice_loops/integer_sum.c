/* After a guide's first example of a loop at the speed of memory: the sum of a large
 * array of integers. Nothing to gain: compilers make vectors of it, and each line is
 * read once, in order: nothing moves less. */
#pragma inflight kernel
#pragma inflight set n = 50000000
unsigned integer_sum(int n, const unsigned a[restrict n])
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
