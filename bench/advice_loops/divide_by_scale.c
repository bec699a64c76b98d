/* After guides on numerical code: an array divided by one number. Known remedy: times
 * the reciprocal, computed once (another rounding). */
#pragma inflight kernel
#pragma inflight set rounds = 200
#pragma inflight set n = 100000
#pragma inflight set scale = 3
void divide_by_scale(int rounds, int n, double scale, double *restrict out,
                     const double *restrict in)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            out[i] = in[i] / scale;
}

void hand(int rounds, int n, double scale, double *restrict out,
          const double *restrict in)
{
    double factor = 1 / scale;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            out[i] = in[i] * factor;
}
