/*
 * local_table: A small table is made in the function, then used.
 */
#pragma inflight kernel
#pragma inflight set n = 8000000
#pragma inflight buffer level = index(64)
void local_table(long n, double out[restrict n], const unsigned char level[restrict n])
{
    double table[64];

    for (int i = 0; i < 64; i++)
        table[i] = 1.0 / (1.0 + i);
    for (long i = 0; i < n; i++)
        out[i] = table[level[i] & 63];
}
