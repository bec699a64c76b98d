/* After optimization manuals and countless questions: the sum of an array waits for the
 * addition before. Known remedy: several sums side by side. */
#pragma inflight kernel
#pragma inflight set n = 16000000
#pragma inflight buffer a = uniform(0, 1)
float float_sum(int n, const float *a)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

enum { SIDE = 64 };

float hand(int n, const float *a)
{
    float part[SIDE] = {0}, sum = 0;
    int i = 0;
    for (; i + SIDE <= n; i += SIDE)
        for (int v = 0; v < SIDE; v++)
            part[v] += a[i + v];
    for (; i < n; i++)
        sum += a[i];
    for (int v = 0; v < SIDE; v++)
        sum += part[v];
    return sum;
}
