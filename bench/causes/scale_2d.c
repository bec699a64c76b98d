/* scale_flat by rows, with float and int. */
#pragma inflight kernel
#pragma inflight set rows = 4096
#pragma inflight set n = 4096
#pragma inflight set factor = 3.0
void scale_2d(int rows, int n, float factor, float b[restrict rows][n],
              const float a[restrict rows][n])
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++)
            b[r][i] = factor * a[r][i];
}
