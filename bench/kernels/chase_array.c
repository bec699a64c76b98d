/* The chases of chase_one.c in an array of K positions, with a loop over them. */
#ifndef K
#define K 1
#endif

#pragma inflight kernel
#pragma inflight set n = 134217728
#pragma inflight set steps = 262144
#pragma inflight buffer end = zero
#pragma inflight buffer next = cycle(16, 65536)
void chase_array(long n, long steps, long end[restrict 16], const long next[restrict n])
{
    long p[K];

    for (int k = 0; k < K; k++)
        p[k] = k * (n / 16);
    for (long i = 0; i < steps; i++)
        for (int k = 0; k < K; k++)
            p[k] = next[p[k]];
    for (int k = 0; k < K; k++)
        end[k] = p[k];
}
