/* Sixteen planes of numbers into records of sixteen, one plane after the other: of each
 * line that is stored to, eight of 64 bytes are written before it is gone. */
#pragma inflight kernel
#pragma inflight set n = 1000000
#pragma inflight buffer record = zero
void planes_2d(int n, double record[restrict n][16], const double plane[restrict 16][n])
{
    for (int p = 0; p < 16; p++)
        for (int i = 0; i < n; i++)
            record[i][p] = plane[p][i];
}
