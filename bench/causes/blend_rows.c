/* blend_flat by rows, whole numbers of 16 bits, the larger sum of two pictures. */
#pragma inflight kernel
#pragma inflight set rows = 8192
#pragma inflight set n = 4096
#pragma inflight buffer out = zero
void blend_rows(int rows, int n, short out[restrict rows][n],
                const short a[restrict rows][n], const short b[restrict rows][n],
                const short least[restrict rows][n])
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++) {
            short sum = (short)(a[r][i] + b[r][i]);
            out[r][i] = sum > least[r][i] ? sum : least[r][i];
        }
}
