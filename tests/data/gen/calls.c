#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* A call of it is not taken apart: it returns on the way. */
static void gather(int m, const double *from, const int *at, double to[4], double *sum)
{
    to[0] = from[at[0] % m];
    to[1] = from[at[1] % m];
    to[2] = from[at[2] % m];
    to[3] = from[at[3] % m];
    *sum = to[0] + to[1] + to[2] + to[3];
    if (m < 3)
        return;
    *sum += 1;
}

static void spread(const double w[4], double rows[3][4], double *out)
{
    rows[0][0] = w[0];
    rows[1][1] = w[1] * 2;
    rows[2][2] = w[2] * 3;
    out[0] = rows[0][0];
    out[1] = rows[1][1] - w[2];
    out[2] = rows[2][2];
    out[3] = w[3] - w[0];
    if (out[1] > 0.5)
        return;
    out[3] += out[1];
}

/* Of an element that its caller uses, too. */
static void raise(double *at, double by)
{
    if (by < 0.25)
        return;
    *at += by;
}

static void check(double value)
{
    if (value > 1e300)
        exit(3);
}

static void fail(int i)
{
    fprintf(stderr, "row %d\n", i);
    exit(4);
}

void kernel(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], double x[restrict n],
            double *restrict y, int *restrict p)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - 4; j++) {
            double w[4], rows[3][4], out[4], sum;
            gather(n, x, &p[j], w, &sum);
            spread(w, rows, out);
            check(sum);
            for (int k = 0; k < 4; k++)
                b[i][j] += out[k] * w[3 - k];
            a[i][j] = sum;
            if (a[i][j] < -1e300)
                fail(i);
            if (sum < -1e301) {
                printf("%d %g\n", j, a[i][j]);
                exit(5);
            }
        }
    for (int i = 1; i < n - 4; i++) {
        double w[4], rows[3][4], t;
        gather(n, y, &p[i], w, &t);
        y[i] = t + w[2] + y[i - 1];
        spread(w, rows, w);
        x[i] += w[1];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] = c[i][j] * 2 + a[i][j];
            assert(a[i][j] < 1e300 && "no more than that");
            raise(c[i] + j, b[i][j]);
            c[i][j] -= 0.125;
            raise(&c[i][j], a[i][j]);
        }
}
