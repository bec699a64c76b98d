/* Pointers that move. */
#include "drive.h"

void walk_copy(int n, const double *x, double *y)
{
    int i;
    for (i = 0; i < n; i++)
        *y++ = 2 * *x++;
}

void walk_matrix(int n, int m, double *x, const double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            *x++ += *y++;
}

void walk_header(int n, double *x, const double *y)
{
    for (int i = 1; i <= n; i++, x++)
        x[1] = x[0] * 0.5 + y[i];
}

void walk_rows(int n, int lda, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++)
            s += x[j];
        y[i] = s;
        x += lda;
    }
}

void walk_twice(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double re = *x++;
        double im = *x++;
        y[i] = re * re + im * im;
    }
}

void walk_local(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        const double *p = x + i * n;
        double *q = &y[i];
        for (int j = 0; j < n; j++) {
            *q += *p++;
            q += n;
        }
    }
}

void walk_down(int n, double *x)
{
    double *p = x + n;
    for (int i = n - 1; i >= 0; i--)
        *--p = i * 0.5;
}

void walk_set(int n, double *x, const double *y)
{
    const double *p;
    int i;
    p = y + 2;
    for (i = 0; i < n; i += 2) {
        x[i] = p[0] + p[1];
        ++p;
    }
}

/* Not in every iteration: left alone. */
void walk_some(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        if (x[i] > 0.1)
            *y++ = x[i];
}

/* Used behind the loop: left alone. */
void walk_on(int n, double *x, double *y)
{
    for (int i = 0; i < n; i++)
        *x++ = i;
    y[0] = x[-1 + (n == 0)];
}

/* The rows get shorter: left alone. */
void walk_triangle(int n, double *x)
{
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            *x++ = i + j;
}

void walk_leaves(int n, double *x)
{
    for (int i = 0; i < n; i++) {
        if (*x > 0.3)
            break;
        *x++ = 0;
    }
}

int main(void)
{
    RUN(walk_copy(n, a, b), "walk_copy")
    RUN(walk_matrix(n, n + 2, a, b), "walk_matrix")
    RUN(walk_header(n, a, b), "walk_header")
    RUN(walk_rows(n, n + 3, a, b), "walk_rows")
    RUN(walk_twice(n, a, b), "walk_twice")
    RUN(walk_local(n, a, b), "walk_local")
    RUN(walk_down(n, a), "walk_down")
    RUN(walk_set(n, a, b), "walk_set")
    RUN(walk_some(n, a, b), "walk_some")
    RUN(walk_on(n, a, b), "walk_on")
    RUN(walk_triangle(n, a), "walk_triangle")
    RUN(walk_leaves(n, a + 2), "walk_leaves")
}
