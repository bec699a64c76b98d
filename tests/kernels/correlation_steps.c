/*
 * correlation_steps: Means, spreads and correlations; all three go down the columns.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set points = 600
#pragma inflight set attributes = 500
void correlation_steps(int points, int attributes, const double data[restrict points][attributes],
                       double mean[restrict attributes], double spread[restrict attributes],
                       double corr[restrict attributes][attributes])
{
    for (int a = 0; a < attributes; a++) {
        mean[a] = 0;
        for (int p = 0; p < points; p++)
            mean[a] += data[p][a];
        mean[a] /= points;
    }
    for (int a = 0; a < attributes; a++) {
        spread[a] = 1e-3;
        for (int p = 0; p < points; p++)
            spread[a] += (data[p][a] - mean[a]) * (data[p][a] - mean[a]);
        spread[a] = sqrt(spread[a]);
    }
    for (int a = 0; a < attributes; a++)
        for (int b = 0; b < attributes; b++) {
            corr[a][b] = 0;
            for (int p = 0; p < points; p++)
                corr[a][b] += (data[p][a] - mean[a]) * (data[p][b] - mean[b]);
            corr[a][b] /= spread[a] * spread[b];
        }
}
