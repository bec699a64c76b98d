/*
 * prefix_sum: Each sum needs the one before.
 */
#pragma inflight kernel
#pragma inflight set n = 20000000
void prefix_sum(long n, int out[restrict n], const int in[restrict n])
{
    int sum = 0;
    for (long i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}
