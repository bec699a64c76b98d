/* After questions about the step of merge sort: two sorted runs, each comparison a
 * coin's toss. Known remedy: the smaller one taken and both places moved by the
 * comparison, without a jump. */
#pragma inflight kernel
#pragma inflight set n = 3000000
#pragma inflight set m = 3000000
#pragma inflight buffer a = offsets(100)
#pragma inflight buffer b = offsets(100)
void merge_runs(int n, int m, int out[restrict n + m], const int a[restrict n],
                const int b[restrict m])
{
    int i = 0, j = 0, k = 0;
    while (i < n && j < m) {
        if (a[i] <= b[j])
            out[k++] = a[i++];
        else
            out[k++] = b[j++];
    }
    while (i < n)
        out[k++] = a[i++];
    while (j < m)
        out[k++] = b[j++];
}

void hand(int n, int m, int out[restrict n + m], const int a[restrict n],
          const int b[restrict m])
{
    const int *p = a, *q = b, *p_end = a + n, *q_end = b + m;
    int *o = out;
    while (p < p_end && q < q_end) {
        long first = *p <= *q;
        *o++ = *q ^ ((*p ^ *q) & -(int)first);
        p += first;
        q += 1 - first;
    }
    while (p < p_end)
        *o++ = *p++;
    while (q < q_end)
        *o++ = *q++;
}
