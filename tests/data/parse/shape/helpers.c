/* Small functions. */
#include <assert.h>
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

/* Of several statements. */
struct series {
    int n;
    double start, per_step, *values;
};
static void looked_at(const struct series *series, double r, double *f, double *df)
{
    const double *v = series->values;

    if (r < series->start)
        r = series->start;
    r = (r - series->start) * series->per_step;
    int i = (int)floor(r);
    if (i > series->n) {
        i = series->n;
        r = series->n / series->per_step;
    }
    r = r - floor(r);
    *f = v[i] + r * (v[i + 1] - v[i]);
    *df = (v[i + 1] - v[i]) * series->per_step;
}
static void swap(double *p, double *q)
{
    double t = *p;
    *p = *q;
    *q = t;
}
static void twice(double v, double *p)
{
    *p = v + 1;
    *p += v;
}
static void clear3(double v[3], int with)
{
    v[0] = with;
    v[1] = v[2] = 0;
}
static void clear_both(double *v, double n)
{
    clear3(v, n);
    clear3(v + 3, -1);
}
static void moved_on(int *at, double *p)
{
    *at += 1;
    *p = *at;
}
static void moved_twice(double *x)
{
    int k = 1;
    moved_on(&k, &x[k]);
    x[k] += 1;
}
static void from_list(double *x, const int *order, int *changed)
{
    int first = order[0];
    *changed = 1;
    x[first & 7] += 1;
}
static void unless(double *p)
{
    if (*p > 0.2)
        return;
    *p = 1;
}
static void walked(double *p)
{
    *p++ = 0.5;
    *p = 0.25;
}
static void by_scale(double *p)
{
    double t = *p;
    *p = t * scale + 1;
}
static void counted_up(double *p)
{
    calls++;
    *p += calls;
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

void help_block(int n, double *x, double *y)
{
    struct series s = {n, 0.25, 4, y};
    for (int i = 0; i < n; i++) {
        double f, slope;
        looked_at(&s, x[i], &f, &slope);
        x[i] += f;
        looked_at(&s, f, &x[i + 1], &slope);
        x[i] -= slope;
    }
}

/* Names are taken already; what is handed over may be the same place. */
void help_block_names(int n, double *x, double *y)
{
    double t = 1, v = 2;
    for (int i = 0; i < n; i++) {
        swap(&x[i], &y[n - 1 - i]);
        swap(x + i, &x[n - i]);
        swap(&x[i], &x[i]);
        t += x[i] * v;
        twice(x[i], &x[i]);
        twice(t, &t);
    }
    x[n] = t;
}

/* One inside of another, a number that is converted. */
void help_block_deep(int n, double *x)
{
    for (int i = 0; i < n; i++)
        clear_both(x + 6 * i, 0.75 * i);
}

/* What a pointer is made of changes on the way: stays a call. */
void help_block_moved(int n, double *x)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        moved_on(&k, &x[k]);
        moved_twice(x + i);
    }
}
void help_block_order(int n, double *x, int *order)
{
    for (int i = 0; i < n; i++)
        from_list(&x[order[1]], order, &order[1]);
}

/* These stay calls, too: they end early, move a pointer, use a name that means another
 * thing here, change a variable of the file. */
void help_block_kept(int n, double *x)
{
    double scale = 3;
    for (int i = 0; i < n; i++) {
        unless(&x[i]);
        walked(&x[i]);
        by_scale(&x[i]);
        counted_up(&x[i]);
    }
    x[n] = scale;
}

/* One statement that changes on its way what &x[k] stands for; where that is steady, it
 * is put in. */
static void stepped_on(int *at, double *p)
{
    *p = (*at += 1);
}
void help_nested(int n, double *x)
{
    int k = 0, m = 0;
    for (int i = 0; i < n - 1; i++) {
        stepped_on(&k, &x[k]);
        stepped_on(&m, &x[i]);
    }
}

int main(void)
{
    RUN(help_nested(n, a), "help_nested")
    RUN(help_block(n, a, b), "help_block")
    RUN(help_block_names(n, a, b), "help_block_names")
    RUN(help_block_deep(n, a), "help_block_deep")
    RUN(help_block_moved(n, a), "help_block_moved")
    RUN(help_block_order(n, a, idx), "help_block_order")
    RUN(help_block_kept(n, a), "help_block_kept")
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

/* Locals enough that a reader's room for symbols must grow, then a loop. */
static void help_many(double *to, const double *from)
{
    double a0 = from[0], a1 = from[1], a2 = a0 + a1, a3 = a2 * a0, a4 = a3 - a1, a5 = a4 + a2, a6 = a5 * 2, a7 = a6 - a0,
           a8 = a7 + a1, a9 = a8 * a2, b0 = a9 - a3, b1 = b0 + a4, b2 = b1 * 0.5, b3 = b2 - a5, b4 = b3 + a6, b5 = b4 * 0.25,
           b6 = b5 + 1, b7 = b6 * 0.5, b8 = b7 + 2, b9 = b8 - 1, c0 = b9 * 2, c1 = c0 + 1, c2 = c1 * 0.5, c3 = c2 - 3,
           c4 = c3 + 1, c5 = c4 * 2, c6 = c5 - 1, c7 = c6 * 0.5, c8 = c7 + 3, c9 = c8 * 2;
    for (int k = 0; k < 2; k++)
        to[k] = a7 + a8 + b5 + c9 + k;
}

void help_twice(int n, double *restrict x, double *restrict y, const double *restrict z)
{
    for (int i = 0; i < n; i++) {
        help_many(x + 2 * i, z + 2 * i);
        help_many(y + 2 * i, z + 2 * i);
    }
}

void help_assert(int n, double *x, const int *at)
{
    for (int i = 0; i < n; i++) {
        assert(at[i] >= 0 && "below 0");
        x[i] += at[i];
    }
}
