/* bitmaps_flat with float, and the sum of 64 members of an ensemble of forecasts. */
#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight buffer mean = zero
void bitmaps_float(long n, float mean[restrict n],
                   const float member[restrict 64][n + 16])
{
    for (long i = 0; i < n; i++) {
        float sum = 0;
        for (long r = 0; r < 64; r++)
            sum += member[r][i];
        mean[i] = sum * 0.015625f;
    }
}
