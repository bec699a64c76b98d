/* After vector libraries: the inverse of each number and its square. Nothing to gain:
 * vectors already; the divider or memory is busy. */
#pragma inflight kernel
#pragma inflight set n = 8000000
void inverse_squares(int n, double out[restrict n], const double in[restrict n])
{
    for (int i = 0; i < n; i++)
        out[i] = 0.5 * out[i] + 1.0 / (in[i] * in[i] + 1.0);
}
