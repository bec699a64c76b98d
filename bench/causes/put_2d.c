/* put_arrays with one array of six rows, and int. */
#pragma inflight kernel
#pragma inflight set rounds = 4000
#pragma inflight set n = 1000
#pragma inflight buffer index = permutation
void put_2d(long rounds, long n, int a[restrict 6][n],
            const unsigned short index[restrict n])
{
    for (long r = 0; r < rounds; r++)
        for (long i = 0; i < n; i++) {
            a[0][index[i]] = (int)r;
            a[1][index[i]] = (int)r;
            a[2][index[i]] = (int)r;
            a[3][index[i]] = (int)r;
            a[4][index[i]] = (int)r;
            a[5][index[i]] = (int)r;
        }
}
