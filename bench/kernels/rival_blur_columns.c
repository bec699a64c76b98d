/* Nine weights down every column of a picture, one column after the other. */
#pragma inflight kernel
#pragma inflight set h = 3000
#pragma inflight set w = 2400
#pragma inflight buffer out = zero
void blur_columns(int h, int w, double out[restrict h][w], const double in[restrict h][w],
                  const double weight[restrict 9])
{
    for (int j = 0; j < w; j++)
        for (int i = 0; i < h - 8; i++) {
            double sum = 0;
            for (int k = 0; k < 9; k++)
                sum += weight[k] * in[i + k][j];
            out[i][j] = sum;
        }
}
