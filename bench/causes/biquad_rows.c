/* A filter of second order over eight channels, one after the other: what comes out waits
 * for what came out before, for a multiplication with subtraction and for another. */
#pragma inflight kernel
#pragma inflight set rounds = 4000
#pragma inflight set n = 500
#pragma inflight set b0 = 0.25
#pragma inflight set b1 = 0.5
#pragma inflight set b2 = 0.25
#pragma inflight set a1 = -0.5
#pragma inflight set a2 = 0.375
#pragma inflight buffer out = zero
void biquad_rows(int rounds, int n, double b0, double b1, double b2, double a1, double a2,
                 double out[restrict 8][n], const double in[restrict 8][n])
{
    for (int r = 0; r < rounds; r++)
        for (int c = 0; c < 8; c++) {
            double x1 = r, x2 = 0, y1 = 0, y2 = 0;
            for (int i = 0; i < n; i++) {
                double x = in[c][i];
                double y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
                x2 = x1;
                x1 = x;
                y2 = y1;
                y1 = y;
                out[c][i] = y;
            }
        }
}

/* A sample of each channel at once. */
typedef double lanes __attribute__((vector_size(64)));

void remedy(int rounds, int n, double b0, double b1, double b2, double a1, double a2,
            double out[restrict 8][n], const double in[restrict 8][n])
{
    const lanes none = {0};
    for (int r = 0; r < rounds; r++) {
        lanes x1 = none + r, x2 = none, y1 = none, y2 = none;
        for (int i = 0; i < n; i++) {
            lanes x = {in[0][i], in[1][i], in[2][i], in[3][i],
                       in[4][i], in[5][i], in[6][i], in[7][i]};
            lanes y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
            x2 = x1;
            x1 = x;
            y2 = y1;
            y1 = y;
            for (int c = 0; c < 8; c++)
                out[c][i] = y[c];
        }
    }
}
