/*
 * covariance_columns: Each pair of attributes is a pair of columns.
 */
#pragma inflight kernel
#pragma inflight set points = 700
#pragma inflight set attributes = 600
void covariance_columns(int points, int attributes, const double data[restrict points][attributes],
                        const double mean[restrict attributes], double cov[restrict attributes][attributes])
{
    for (int a = 0; a < attributes; a++)
        for (int b = a; b < attributes; b++) {
            double sum = 0;
            for (int p = 0; p < points; p++)
                sum += (data[p][a] - mean[a]) * (data[p][b] - mean[b]);
            cov[a][b] = sum / points;
            cov[b][a] = cov[a][b];
        }
}
