/* Pointers that count, and heads with several iterators. */
#include "drive.h"

static double table[40];

void head_end(int n, double *x)
{
    double *end = x + n, *q = x + 64;
    for (double *p = x; p < end; p++, q++)
        *p += *q + p[1];
}

void head_not_equal(int n, double *x)
{
    for (double *p = x; p != &x[n]; ++p)
        *p *= 3.0;
    for (double *p = x + 1, *last = x + n; last > p; p += 2)
        *p -= 0.5;
}

void head_while(size_t n, double *x)
{
    const double *s = x + 64, *end = x + 64 + n;
    double *d = x;
    while (s < end) {
        *d++ += *s++;
        d[64] = s[0];
    }
}

void head_rows(int n, double *x)
{
    for (int i = 0; i < n; i++)
        for (double *p = x + i * 16, *q = x; p < x + (i + 1) * 16; p++, q++)
            *p += *q;
    for (int i = 0; i < n; i++) {
        double *p = x + i * n;
        while (p != x + i * n + n) {
            *p += i;
            p++;
        }
    }
}

void head_down(int n, double *x)
{
    for (double *p = x + n; p > x; p--)
        p[0] += p[-1];
}

void head_steps(int n, double *x)
{
    double *p;
    for (p = x + n; p < x + 3 * n; p += 3)
        *p = 1;
    for (p = x; p < x + n; p++)
        *p += 2;
}

void head_array(int n, double *x)
{
    double own[32];
    for (double *p = own; p < own + n; p++)
        *p = n;
    for (double *p = table, *q = own; p < table + n; p++, q++)
        *p = *q + 1;
    for (int i = 0; i < n; i++)
        x[i] += own[i] + table[i];
}

/* As they are: two arrays for all that is known, an end that moves, what is used behind
 * the loop. */
void head_apart(int n, double *x)
{
    double *end = x + n, *p;
    for (p = x; p < end; p++)
        *p += 1;
    *p = 5;
    for (double *q = x; q < end; q++) {
        *q += 2;
        if (q == x + 3)
            end--;
    }
}

void head_two(int n, double *x)
{
    for (int i = 0, j = n - 1; i < n; i++, j--)
        x[i] += x[j] * j;
    int i, j;
    for (i = 2, j = 0; i < n; j += 2, i++) {
        if (x[i] > 0.2)
            continue;
        x[j] += x[i];
    }
}

void head_three(int n, double *x)
{
    double *p = x + 64;
    for (int i = 0, j = 3, k = n; i < n; i++, j += 3, k--)
        *p++ += x[j] * k;
}

void head_unsigned(unsigned n, double *x)
{
    for (unsigned i = n, j = n - 3; i > 0; i--, j++)
        if (j < 4)
            x[i + j] += j;
}

/* Not the same type: the one wraps around where the other does not. */
void head_wide(long n, double *x)
{
    unsigned j = 4294967290u;
    for (long i = 0, k = j; i < n; i++, k++)
        x[i] += (double)k;
    for (long i = 0; i < n; i++, j++)
        x[i] += j;
}

void head_compared(int n, double *x)
{
    for (int i = 0, j = n; i < j; i++, j--)
        x[i] += x[j];
}

void head_behind(int n, double *x)
{
    int i, j;
    for (i = 0, j = n; i < n; i++, j--)
        x[i] += j;
    x[n] = j;
}

void head_bound(int n, int m, double *x)
{
    for (int i = 0, m = n / 2; i < m; i++)
        x[i] -= m;
    for (int i = 0, e = n - 1, idle = m; i <= e; i++)
        x[i] += m;
}

static int starts;
static int begin_at(int n)
{
    starts += n;
    return n;
}

void head_effect(int n, double *x)
{
    for (int i = 0, u = begin_at(n); i < n; i++)
        x[i] += starts;
}

int head_read(int n, double *x)
{
    int i, e = 0;
    for (int k = 0; k < n; k++)
        for (i = idx[k], e = idx[k + 1] + 3; i < e; i++)
            x[i] += k;
    for (i = 0, e = idx[n] + n; i < e; i++)
        x[i] += e;
    if (n > 2)
        for (int i = 0, m = idx[n]; i < m; i++)
            x[i] -= 1;
    else
        x[0] = 3;
    return e + i;
}

int head_changed(int n, double *x)
{
    int i = 4, e = 2;
    for (int i = 0, t = idx[n]; i < n; i++) {
        x[i] += t;
        t = t * 3 & 255;
    }
    for (i = 0, e = e + idx[2]; i < e; i++)
        x[i] += 1;
    for (int e = n, i = e; i < e + 3; i++)
        x[i] += 2;
    return e * 50 + i;
}

int head_meets(int n, double *x)
{
    int i, j, s = 0;
    for (i = 0, j = n - 1; i < j; i++, j--) {
        double t = x[i];
        x[i] = x[j];
        x[j] = t;
    }
    s = i * 100 + j;
    for (int j = n - 4, i = 0; i < j; ++i, --j)
        x[i] += x[j];
    for (int i = 0, j = n - 1; i < j; ++i, --j)
        x[i] += x[j];
    for (int i = 0, j = n - 1; i < j; i++, j--) {
        if (idx[i] % 3 == 1)
            j--;
        x[j] += i;
    }
    return s;
}

int main(void)
{
    RUN(head_end(n, a), "head_end")
    RUN(head_not_equal(n, a), "head_not_equal")
    RUN(head_while((size_t)n, a), "head_while")
    RUN(head_rows(n, a), "head_rows")
    RUN(head_down(n, a), "head_down")
    RUN(head_steps(n, a), "head_steps")
    RUN(head_array(n, a), "head_array")
    RUN(head_apart(n, a), "head_apart")
    RUN(head_two(n, a), "head_two")
    RUN(head_three(n, a), "head_three")
    RUN(head_unsigned((unsigned)n, a), "head_unsigned")
    RUN(head_wide(n, a), "head_wide")
    RUN(head_compared(n, a), "head_compared")
    RUN(head_behind(n, a), "head_behind")
    RUN(head_bound(n, 3, a), "head_bound")
    RUN(head_effect(n, a), "head_effect")
    RUN(c[0] = head_read(n, a), "head_read")
    RUN(c[0] = head_changed(n, a), "head_changed")
    RUN(c[0] = head_meets(n, a), "head_meets")
}
