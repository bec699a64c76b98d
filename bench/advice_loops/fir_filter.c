/* After a filter of finite response from books on signal processing: for each sample a
 * sum over the taps. Known remedy: 16 samples side by side, each with its sum in the
 * same order. */
#pragma inflight kernel
#pragma inflight set n = 1000000
#pragma inflight set taps = 48
void fir_filter(int n, int taps, float *restrict out, const float *restrict in,
                const float *restrict tap)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < taps; k++)
            sum += tap[k] * in[i + k];
        out[i] = sum;
    }
}

enum { SIDE = 64 };

void hand(int n, int taps, float *restrict out, const float *restrict in,
          const float *restrict tap)
{
    int i = 0;
    for (; i + SIDE <= n; i += SIDE) {
        float sum[SIDE] = {0};
        for (int k = 0; k < taps; k++)
            for (int v = 0; v < SIDE; v++)
                sum[v] += tap[k] * in[i + k + v];
        for (int v = 0; v < SIDE; v++)
            out[i + v] = sum[v];
    }
    for (; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < taps; k++)
            sum += tap[k] * in[i + k];
        out[i] = sum;
    }
}
