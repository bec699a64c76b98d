/* join_flat as the sum of two sparse vectors, terms of a value and the step to its place.
 */
struct term {
    int step;
    float value;
};

struct place {
    int at;
    float value;
};

#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer a.step = uniform(1, 20)
#pragma inflight buffer b.step = uniform(1, 20)
#pragma inflight buffer sum = zero
int join_struct(int n, struct place sum[restrict 2 * n],
                const struct term a[restrict n + 1], const struct term b[restrict n + 1])
{
    int i = 0, j = 0, k, x = a[0].step, y = b[0].step;
    for (k = 0; i < n && j < n; k++) {
        if (x < y) {
            sum[k].at = x;
            sum[k].value = a[i++].value;
            x += a[i].step;
        } else if (y < x) {
            sum[k].at = y;
            sum[k].value = b[j++].value;
            y += b[j].step;
        } else {
            sum[k].at = x;
            sum[k].value = a[i++].value + b[j++].value;
            x += a[i].step;
            y += b[j].step;
        }
    }
    return k;
}
