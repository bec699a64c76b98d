/*
 * jump_out: A jump out of two loops at once.
 */
#pragma inflight kernel
#pragma inflight set n = 2000
#pragma inflight buffer a = uniform(1, 100)
int jump_out(int n, const int a[restrict n][n])
{
    int seen = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (a[i][j] == 0)
                goto out;
            seen++;
        }
out:
    return seen;
}
