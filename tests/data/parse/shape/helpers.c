/* Small functions. */
#include <math.h>

#include "drive.h"
#include "helpers.h"

static inline double at(const double *x, int n, int i, int j) { return x[i * n + j]; }
static inline int wrap(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }
static inline size_t flat(size_t i, size_t j, size_t n) { return i * n + j; }
static inline double *row_of(double *x, int i, int n) { return x + i * n; }
static inline double square(double x) { return x * x; }
static double curve(double x)
{
    double y = 0;
    for (int k = 0; k < 3; k++)
        y = y * x + k;
    return sqrt(fabs(y)) + square(x);
}
static inline void put(double *x, int i, double v) { x[i] = v; }
static inline void add(double *sum, double v) { *sum += v; }
static inline double blend(const double *x, int i)
{
    const double left = x[i], right = x[i + 1];
    return 0.5 * (left + right);
}
static inline float half(float x) { return x / 2; }
static inline float pick(const double *x, int i) { return (float)x[i]; }
static double scale = 1.5;
static const double table[4] = {1, 2, 4, 8};
static inline double scaled(double x) { return x * scale; }
static inline double looked_up(int i) { return table[i & 3]; }
static inline int rows(int n) { return n / 2; }
static int calls;
static double counted(double x)
{
    calls++;
    return x;
}

void help_at(int n, double *x, const double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i * n + j] += at(y, n, j, i) * SCALED(at(y, n, i, wrap(j + 1, n)));
}

void help_index(int n, double *x, const double *y)
{
    for (int i = 0; i < rows(n); i++)
        for (int j = 0; j < n; j++)
            x[flat(i, j, n)] = y[flat(j, i, n)] + square(j);
}

void help_row(int n, double *x)
{
    for (int i = 0; i < n; i++) {
        double *r = row_of(x, i, n);
        for (int j = 0; j < n; j++)
            put(r, j, square(r[j]) + i);
    }
}

void help_pure(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = curve(x[i]) + half(x[i]) + looked_up(i) + scaled(x[i]);
}

void help_sum(int n, double *x, const double *y)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        add(&s, y[i]);
        add(x + i, blend(y, i) + pick(y, 2 * i));
    }
    x[n] = s;
}

void help_header(int n, double *x, const double *y)
{
    for (int i = 0; i < n; i++)
        x[i] = header_at(y, 2 * i + 1);
}

/* With effects: stays a call. */
void help_counted(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = counted(x[i]);
    x[n] = calls;
}

/* `scale` is a variable of its own here: stays a call. */
void help_hidden(int n, double *x)
{
    double scale = 3;
    for (int i = 0; i < n; i++)
        x[i] = scaled(x[i]) + scale;
}

void help_narrow(long n, double *x, const double *y)
{
    for (long i = 0; i < n; i++)
        x[i] = at(y, (int)n, i, 0);
}

int main(void)
{
    RUN(help_at(n, a, b), "help_at")
    RUN(help_index(n, a, b), "help_index")
    RUN(help_row(n, a), "help_row")
    RUN(help_pure(n, a), "help_pure")
    RUN(help_sum(n, a, b), "help_sum")
    RUN(help_header(n, a, b), "help_header")
    RUN(help_counted(n, a), "help_counted")
    RUN(help_hidden(n, a), "help_hidden")
    RUN(help_narrow(n, a, b), "help_narrow")
}
