/* After partition in sorting and in databases: what is below the pivot to the one side,
 * the rest to the other. Known remedy: stored to both sides always, both counts moved
 * by the comparison. */
#pragma inflight kernel
#pragma inflight set n = 6000000
#pragma inflight set pivot = 500
#pragma inflight buffer a = uniform(0, 999)
#pragma inflight buffer below = zero
#pragma inflight buffer above = zero
int split_by_sign(int n, int pivot, int below[restrict n], int above[restrict n],
                  const int a[restrict n])
{
    int low = 0, high = 0;
    for (int i = 0; i < n; i++)
        if (a[i] < pivot)
            below[low++] = a[i];
        else
            above[high++] = a[i];
    for (int i = low; i < n; i++)
        below[i] = 0;
    for (int i = high; i < n; i++)
        above[i] = 0;
    return low;
}

int hand(int n, int pivot, int below[restrict n], int above[restrict n],
         const int a[restrict n])
{
    int low = 0, high = 0;
    for (int i = 0; i < n; i++) {
        below[low] = a[i];
        above[high] = a[i];
        low += a[i] < pivot;
        high += a[i] >= pivot;
    }
    for (int i = low; i < n; i++)
        below[i] = 0;
    for (int i = high; i < n; i++)
        above[i] = 0;
    return low;
}
