/* headers_struct with two subscripts, floating point, and blocks that ascend by 7. */
#pragma inflight kernel
#pragma inflight set rounds = 200
#pragma inflight set n = 16381
long headers_flat(long rounds, long n, const long block[restrict n][520])
{
    long largest = 0;
    for (long r = 0; r < rounds; r++)
        for (long step = 0; step < 7; step++)
            for (long i = step; i < n; i += 7)
                largest += block[i][0] ^ block[i][1];
    return largest;
}
