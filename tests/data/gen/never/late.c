/* Numbers that go from one statement to another of the same iteration: `t` not yet in the
 * first iterations. */
void kernel(int n, double *restrict a, double *restrict b, const double *restrict x)
{
    double s, t;
    for (int i = 0; i < n; i++) {
        t = x[i];
        for (int j = 0; j < i - 1; j++)
            a[j] += t;
    }
    for (int k = 0; k < n; k++) {
        s = x[k] + 1;
        b[k] = s * s;
    }
}
