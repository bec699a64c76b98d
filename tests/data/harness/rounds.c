/* main says how large: how often loops go over the same elements, and over how many. */
#include <stdlib.h>

void rounds(int steps, int n, double *a, double *b)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        for (int i = 1; i < n - 1; i++)
            a[i] = b[i];
    }
}

void rows(int rows, int columns, double *sum, const double *x)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            sum[i] += x[i * columns + j];
}

/* Rounds that grow. */
void wedge(int steps, int n, double *a)
{
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < n - t; i++)
            a[i] = 0.5 * a[i];
}

/* What moves along is little. */
void traced(int steps, int n, double *a, double *first)
{
    for (int t = 0; t < steps; t++) {
        first[t] = a[0];
        for (int i = 0; i < n; i++)
            a[i] = 0.5 * a[i];
    }
}

int main(void)
{
    double *a = calloc(200000, sizeof(*a)), *b = calloc(200000, sizeof(*b));

    rounds(400, 5000, a, b);
    rows(400, 500, a, b);
    wedge(400, 5000, a);
    traced(400, 50000, a, b);
    for (int i = 0; i < 200000; i++)
        a[i] = b[i];
    return 0;
}
