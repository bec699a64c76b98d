/* After questions about the step of merge sort: two sorted runs, each comparison a
 * coin's toss. Known remedy: the smaller one taken and both places moved by the
 * comparison, without a jump, from both ends at once. */
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

/* As many as the shorter run has cannot be past the end of either one. */
void hand(int n, int m, int out[restrict n + m], const int a[restrict n],
          const int b[restrict m])
{
    int both = n < m ? n : m, i = 0, j = 0, x = n - 1, y = m - 1, k = 0;
    for (; k < both; k++) {
        int p = a[i], q = b[j], r = a[x], s = b[y], first = p <= q, last = r > s;
        out[k] = q ^ ((p ^ q) & -first);
        i += first;
        j += 1 - first;
        out[n + m - 1 - k] = s ^ ((r ^ s) & -last);
        x -= last;
        y -= 1 - last;
    }
    while (i <= x && j <= y) {
        if (a[i] <= b[j])
            out[k++] = a[i++];
        else
            out[k++] = b[j++];
    }
    while (i <= x)
        out[k++] = a[i++];
    while (j <= y)
        out[k++] = b[j++];
}
