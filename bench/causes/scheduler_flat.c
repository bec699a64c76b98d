/* Look-ups that miss, each followed by 32 operations that wait for it: with them the
 * scheduler is full after a few look-ups, when the reorder buffer has room for more. */
#define STEP(v)   v = v * 0.999 + 0.001;
#define STEPS8(v) STEP(v) STEP(v) STEP(v) STEP(v) STEP(v) STEP(v) STEP(v) STEP(v)

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight buffer index = cycle(1, 4096)
double scheduler_flat(int n, const double table[restrict 16 * n],
                      const int index[restrict n])
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double v = table[16 * index[i]];
        STEPS8(v)
        STEPS8(v)
        STEPS8(v)
        STEPS8(v)
        sum += v;
    }
    return sum;
}
