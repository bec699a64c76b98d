/* Powers by repeated multiplication, with random exponents: the end of the inner loop is
 * mispredicted. */
#pragma inflight kernel
#pragma inflight set rounds = 5
#pragma inflight set n = 1048576
#pragma inflight buffer e = uniform(0, 3)
#pragma inflight buffer out = zero
void power_flat(int rounds, int n, float out[restrict n], const float x[restrict n],
                const int e[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            float p = 1;
            for (int k = 0; k < e[i]; k++)
                p *= x[i];
            out[i] = p;
        }
}

/* As many multiplications as the largest exponent has, by one where there is none. */
void remedy(int rounds, int n, float out[restrict n], const float x[restrict n],
            const int e[restrict n])
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            float p = 1;
            p *= e[i] > 0 ? x[i] : 1;
            p *= e[i] > 1 ? x[i] : 1;
            p *= e[i] > 2 ? x[i] : 1;
            out[i] = p;
        }
}
