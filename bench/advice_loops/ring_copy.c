/* After questions about circular buffers: the place modulo the size for each element.
 * Known remedy: two loops, one up to the end of the buffer and one from its start. */
#pragma inflight kernel
#pragma inflight set n = 16000000
#pragma inflight set from = 7777777
void ring_copy(int n, int from, int *restrict out, const int *restrict ring)
{
    for (int i = 0; i < n; i++)
        out[i] = ring[(from + i) % n] + 1;
}

void hand(int n, int from, int *restrict out, const int *restrict ring)
{
    if (n > 0) {
        int start = from % n, rest = n - start;
        for (int i = 0; i < rest; i++)
            out[i] = ring[start + i] + 1;
        for (int i = rest; i < n; i++)
            out[i] = ring[i - rest] + 1;
    }
}
