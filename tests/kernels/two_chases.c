/*
 * two_chases: Two chains side by side.
 */
#pragma inflight kernel
#pragma inflight set n = 700000
#pragma inflight set m = 16000000
#pragma inflight buffer next = cycle(1)
int two_chases(long n, long m, const int next[restrict m])
{
    int a = 0, b = 1;
    for (long i = 0; i < n; i++) {
        a = next[a];
        b = next[b];
    }
    return a + b;
}
