/*
 * single_chase: Each address is what was loaded last: one miss at a time, whatever is done.
 */
#pragma inflight kernel
#pragma inflight set n = 1000000
#pragma inflight set m = 16000000
#pragma inflight buffer next = cycle(1)
int single_chase(long n, long m, const int next[restrict m])
{
    int at = 0;
    for (long i = 0; i < n; i++)
        at = next[at];
    return at;
}
