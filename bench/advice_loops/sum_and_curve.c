/* After books on optimizing compilers: a running sum and independent work in one loop,
 * where a condition keeps compilers from splitting it. Known remedy: two loops, of
 * which the second becomes vectors. */
#pragma inflight kernel
#pragma inflight set rounds = 40
#pragma inflight set n = 100000
void sum_and_curve(int rounds, int n, int *restrict level, float *restrict curve,
                   const int *restrict step, const float *restrict in)
{
    for (int r = 0; r < rounds; r++) {
        int s = r;
        for (int i = 0; i < n; i++) {
            float x = in[i];
            s += step[i];
            if (s > 1000)
                s = 0;
            level[i] = s;
            curve[i] = x / (1 + x * x) + (x + 3) / (2 + x * x * x) + 1 / (5 + x);
        }
    }
}

void hand(int rounds, int n, int *restrict level, float *restrict curve,
          const int *restrict step, const float *restrict in)
{
    for (int r = 0; r < rounds; r++) {
        int s = r;
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
}
