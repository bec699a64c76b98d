/* After questions and papers on prefix sums with vectors: each sum waits for the one
 * before. Known remedy: sums within eight elements first, so that only one addition in
 * eight is in the chain. */
#pragma inflight kernel
#pragma inflight set n = 12000000
void running_total(int n, float *restrict out, const float *restrict in)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}

void hand(int n, float *restrict out, const float *restrict in)
{
    float sum = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        float a = in[i], b = a + in[i + 1], c = in[i + 2], d = c + in[i + 3];
        out[i] = sum + a;
        out[i + 1] = sum + b;
        out[i + 2] = sum + (b + c);
        sum += b + d;
        out[i + 3] = sum;
    }
    for (; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}
