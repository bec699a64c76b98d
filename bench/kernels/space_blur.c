/* Nine rows weighted into one, as a picture is blurred down its columns. */
#pragma inflight kernel
#pragma inflight set h = 2000
#pragma inflight set w = 2000
void blur_down(int h, int w, float *restrict out, const float *restrict in,
               const float weight[restrict 9])
{
    for (int j = 0; j < w; j++)
        for (int i = 0; i < h - 8; i++) {
            float sum = 0;
            for (int k = 0; k < 9; k++)
                sum += weight[k] * in[(i + k) * w + j];
            out[i * w + j] = sum;
        }
}
