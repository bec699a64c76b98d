/* After optimization manuals and countless questions: the sum of an array waits for the
 * addition before. Known remedy: several sums side by side. */
#pragma inflight kernel
#pragma inflight set rounds = 400
#pragma inflight set n = 30000
float float_sum(int rounds, int n, const float *a)
{
    float total = 0;
    for (int r = 0; r < rounds; r++) {
        float sum = 0;
        for (int i = 0; i < n; i++)
            sum += a[i];
        total = 0.5f * total + sum;
    }
    return total;
}

enum { SIDE = 64 };

float hand(int rounds, int n, const float *a)
{
    float total = 0;
    for (int r = 0; r < rounds; r++) {
        float part[SIDE] = {0}, sum = 0;
        int i = 0;
        for (; i + SIDE <= n; i += SIDE)
            for (int v = 0; v < SIDE; v++)
                part[v] += a[i + v];
        for (; i < n; i++)
            sum += a[i];
        for (int v = 0; v < SIDE; v++)
            sum += part[v];
        total = 0.5f * total + sum;
    }
    return total;
}
