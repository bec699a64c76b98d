/* After questions about three nested loops over a cube whose first subscript runs
 * innermost, as in Fortran. Known remedy: the last subscript inside. */
#pragma inflight kernel
#pragma inflight set n = 256
void cube_order(int n, float out[restrict n][n][n], const float in[restrict n][n][n],
                const float gain[restrict n])
{
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++)
            for (int z = 0; z < n; z++)
                out[z][y][x] = in[z][y][x] * gain[z];
}

void hand(int n, float out[restrict n][n][n], const float in[restrict n][n][n],
          const float gain[restrict n])
{
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                out[z][y][x] = in[z][y][x] * gain[z];
}
