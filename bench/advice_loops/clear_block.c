/* After questions about how fast memory is set: small blocks that are filled again and
 * again. Nothing to gain: compilers write vectors, one store a cycle or two. */
#pragma inflight kernel
#pragma inflight set rounds = 400000
#pragma inflight set n = 1000
void clear_block(int rounds, int n, int a[restrict 4][n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            a[r % 4][i] = r;
}
