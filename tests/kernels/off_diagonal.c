/*
 * off_diagonal: Sums over all columns but one, and over those on one side of the diagonal:
 * a block of rows has a part of its own around the diagonal.
 */
#pragma inflight kernel
#pragma inflight set n = 400
void off_diagonal(int n, const double a[restrict n][n], const double *restrict x,
                  double *restrict below, double *restrict above, double *restrict rest)
{
    for (int i = 0; i < n; i++) {
        double sum = 0.25;
        for (int j = 0; j < n; j++)
            if (j != i)
                sum = sum * 0.75 + a[j][i] * x[j];
        rest[i] = sum;
    }
    for (int i = 0; i < n; i++) {
        double sum = x[i], other = 0;
        for (int j = 0; j < i; j++)
            sum = sum * 0.5 - a[i][j] * x[j];
        below[i] = sum;
        for (int j = i + 1; j < n; j++)
            other = other * 0.5 + a[i][j] * x[j];
        above[i] = other + sum;
    }
}
