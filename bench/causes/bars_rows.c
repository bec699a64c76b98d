/* Columns of 16 dots, in random order, in a picture of 16 KiB: 16 stores to L1 for one
 * load. */
#define DOT(row) dot[row][x] = color;

#pragma inflight kernel
#pragma inflight set rounds = 5000
#pragma inflight set n = 1024
#pragma inflight buffer at = permutation
#pragma inflight buffer dot = zero
void bars_rows(int rounds, int n, unsigned char dot[restrict 16][n],
               const unsigned short at[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            int x = at[i];
            unsigned char color = (unsigned char)(r + i);
            DOT(0)
            DOT(1)
            DOT(2) DOT(3) DOT(4) DOT(5) DOT(6) DOT(7) DOT(8) DOT(9) DOT(10) DOT(11)
                DOT(12) DOT(13) DOT(14) DOT(15)
        }
}
