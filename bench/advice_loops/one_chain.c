/* After latency benchmarks and every lecture on caches: one list, anywhere in memory.
 * Nothing to gain: each address comes with the miss before; there is no second list to
 * walk beside it. */
#pragma inflight kernel
#pragma inflight set steps = 400000
#pragma inflight set n = 16000000
#pragma inflight buffer next = cycle(16)
int one_chain(int steps, int n, const int next[restrict n])
{
    int at = 0;
    (void)n;
    for (int k = 0; k < steps; k++)
        at = next[at];
    return at;
}
