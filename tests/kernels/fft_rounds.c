/*
 * fft_rounds: All rounds of a transform by doubling spans: the bounds of the inner loops double.
 */
#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight buffer re length n
#pragma inflight buffer im length n
void fft_rounds(long n, double *restrict re, double *restrict im)
{
    for (long span = 1; 2 * span <= n; span *= 2)
        for (long start = 0; start + 2 * span <= n; start += 2 * span)
            for (long k = start; k < start + span; k++) {
                double a = re[k + span], b = im[k + span];

                re[k + span] = 0.5 * (re[k] - a);
                im[k + span] = 0.5 * (im[k] - b);
                re[k] = 0.5 * (re[k] + a);
                im[k] = 0.5 * (im[k] + b);
            }
}
