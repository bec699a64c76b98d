/* After books on optimizing compilers: a running sum and independent work in one loop,
 * where a condition keeps compilers from splitting it. Known remedy: two loops, of
 * which the second becomes vectors. */
#pragma inflight kernel
#pragma inflight set n = 3000000
void sum_and_curve(int n, int *restrict level, float *restrict curve,
                   const int *restrict step, const float *restrict in)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        float x = in[i];
        s += step[i];
        if (s > 1000)
            s = 0;
        level[i] = s;
        curve[i] = x / (1 + x * x) + (x + 3) / (2 + x * x * x) + 1 / (5 + x);
    }
}

void hand(int n, int *restrict level, float *restrict curve, const int *restrict step,
          const float *restrict in)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += step[i];
        if (s > 1000)
            s = 0;
        level[i] = s;
    }
    for (int i = 0; i < n; i++) {
        float x = in[i];
        curve[i] = x / (1 + x * x) + (x + 3) / (2 + x * x * x) + 1 / (5 + x);
    }
}
