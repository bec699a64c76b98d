/*
 * nearest_row: The inner loop is in a function that is called, and gives a value.
 */
static float distance(const float *p, const float *q, int n)
{
    int i;
    float sum = 0;
    for (i = 0; i < n; i++)
        sum += (p[i] - q[i]) * (p[i] - q[i]);
    return sum;
}

#pragma inflight kernel
#pragma inflight set n = 2000, m = 30
int nearest_row(int n, int m, const float *restrict row, const float *restrict point,
                float *restrict all)
{
    int nearest = -1;
    float least = 1e30f;
    for (int i = 0; i < n; i++) {
        float now;
        now = distance(point, row + i * m, m);
        all[i] = now;
        if (now < least) {
            least = now;
            nearest = i;
        }
    }
    return nearest;
}
