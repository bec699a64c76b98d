/*
 * stencil_27: All neighbours in a cube, written as loops over offsets.
 */
#pragma inflight kernel
#pragma inflight set n = 150
void stencil_27(int n, double out[restrict n][n][n], const double in[restrict n][n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++) {
                double sum = 0;
                for (int a = -1; a <= 1; a++)
                    for (int b = -1; b <= 1; b++)
                        for (int c = -1; c <= 1; c++)
                            sum += in[i + a][j + b][k + c];
                out[i][j][k] = sum / 27.0;
            }
}
