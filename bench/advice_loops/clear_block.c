/* After questions about how fast memory is set: a small block that is filled again and
 * again. Nothing to gain: compilers call memset or write vectors, one store a cycle. */
#pragma inflight kernel
#pragma inflight set rounds = 60000
#pragma inflight set n = 4096
void clear_block(int rounds, int n, int a[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            a[i] = r;
}
