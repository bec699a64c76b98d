/* After questions about circular buffers: the place modulo the size for each element.
 * Known remedy: two loops, one up to the end of the buffer and one from its start. */
#pragma inflight kernel
#pragma inflight set rounds = 60
#pragma inflight set n = 200000
#pragma inflight set from = 77777
void ring_copy(int rounds, int n, int from, int *restrict out, const int *restrict ring)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            out[i] = ring[(from + i) % n] + r;
}

void hand(int rounds, int n, int from, int *restrict out, const int *restrict ring)
{
    for (int r = 0; n > 0 && r < rounds; r++) {
        int start = from % n, rest = n - start;
        for (int i = 0; i < rest; i++)
            out[i] = ring[start + i] + r;
        for (int i = rest; i < n; i++)
            out[i] = ring[i - rest] + r;
    }
}
