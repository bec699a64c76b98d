/*
 * softmax_rows: Largest element, sum of exponentials and quotient of each row.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 2000
#pragma inflight set m = 1000
void softmax_rows(int n, int m, float out[restrict n][m], const float in[restrict n][m])
{
    for (int i = 0; i < n; i++) {
        float most = in[i][0], sum = 0.0f;
        for (int j = 1; j < m; j++)
            most = in[i][j] > most ? in[i][j] : most;
        for (int j = 0; j < m; j++) {
            out[i][j] = expf(in[i][j] - most);
            sum += out[i][j];
        }
        for (int j = 0; j < m; j++)
            out[i][j] /= sum;
    }
}
