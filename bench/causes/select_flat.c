/* The places of the numbers above a limit, which is their median: no predictor knows the
 * next one; -1 ends them. */
#pragma inflight kernel
#pragma inflight set rounds = 8
#pragma inflight set n = 1048576
#pragma inflight set limit = 0.5
#pragma inflight buffer a = uniform(0, 1)
#pragma inflight buffer at = zero
int select_flat(int rounds, int n, float limit, int at[restrict n + 1],
                const float a[restrict n])
{
    int found = 0;
    for (int r = 0; r < rounds; r++) {
        found = 0;
        for (int i = 0; i < n; i++)
            if (a[i] > limit)
                at[found++] = i;
        at[found] = -1;
    }
    return found;
}

/* Every place is written, the next one over it where it is not wanted. */
int remedy(int rounds, int n, float limit, int at[restrict n + 1],
           const float a[restrict n])
{
    int found = 0;
    for (int r = 0; r < rounds; r++) {
        found = 0;
        for (int i = 0; i < n; i++) {
            at[found] = i;
            found += a[i] > limit;
        }
        at[found] = -1;
    }
    return found;
}
