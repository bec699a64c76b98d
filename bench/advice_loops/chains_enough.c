/* After benchmarks of memory parallelism: 20 lists side by side. Nothing to gain: more
 * misses in flight than the first cache tracks. */
#pragma inflight kernel
#pragma inflight set steps = 60000
#pragma inflight set n = 16000000
#pragma inflight buffer next = permutation
int chains_enough(int steps, int n, const int next[restrict n])
{
    int at[20], sum = 0;
    for (int c = 0; c < 20; c++)
        at[c] = c < n ? c : 0;
    for (int k = 0; k < steps; k++)
        for (int c = 0; c < 20; c++)
            at[c] = next[at[c]];
    for (int c = 0; c < 20; c++)
        sum += at[c] * (c + 1) % 7;
    return sum;
}
