/* chase4_scalars with the heads in an array, an inner loop over them, and int subscripts.
 */
#pragma inflight kernel
#pragma inflight set steps = 131072
#pragma inflight set n = 33554432
#pragma inflight buffer next = cycle(32, 131072)
int chase4_array(int steps, int n, const int next[restrict n])
{
    int sum = 0;
    for (int half = 0; half < 2; half++) {
        int p[4];
        for (int k = 0; k < 4; k++)
            p[k] = (4 * half + k) * (n / 8);
        for (int i = 0; i < steps; i++)
            for (int k = 0; k < 4; k++)
                p[k] = next[p[k]];
        for (int k = 0; k < 4; k++)
            sum += p[k];
    }
    return sum;
}
