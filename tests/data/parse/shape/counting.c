/* Loops that count in other ways. */
#include "drive.h"

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define MAX(x, y) ((x) > (y) ? (x) : (y))

void count_down(size_t n, double *x)
{
    for (size_t i = n; i-- > 0;)
        x[i] += x[i + 1];
}

void count_down_plain(int n, double *x)
{
    for (int i = n; i--;)
        x[i] += x[i + 1] * i;
}

void count_down_before(int n, double *x)
{
    int i;
    for (i = n; --i >= 0;)
        x[i] += x[i + 1];
    x[n + 2] = i;
}

void count_down_nested(unsigned n, double *x)
{
    for (unsigned i = n; i-- != 0;)
        for (unsigned j = i; j-- > 0;)
            x[i] = x[i] * 0.5 + x[j] + (double)j - i;
}

/* Never below 1 and never ending for all the compiler knows: left alone. */
void count_down_by_two(int n, double *x)
{
    for (int i = 2 * n; i > 0; i -= 2)
        x[i - 1] += x[i];
}

void count_both(int n, double *x)
{
    int k = 5;
    for (int i = 0; i < n; ++i, k += 2)
        x[i] = k;
    for (int i = 0, j = n; i < j; i++, j--)
        x[i] += x[j];
}

void count_offsets(int n, double *x)
{
    for (int i = 0; i < n; i++)
        for (int at = 16 * i, j = 0; j < i; j++, at++)
            x[at] += x[at + 1] * j;
    for (int i = 0, k = 2; i < n; k += 3, i++)
        x[i] += x[k] + k;
}

/* The second one is set, or goes down: as it is. */
void count_offsets_changed(int n, double *x)
{
    for (int i = 0, k = 3; i < n; i++, k++) {
        if (x[i] > 0.2)
            k++;
        x[i] = k;
    }
    for (int i = 0, k = n; i < n; i++, k--)
        x[i] += k;
    for (int i = 0, k = n; i < n; i++, k++) {
        n--;
        x[i] += k;
    }
}

void count_both_skipping(int n, double *x)
{
    int k = 0;
    for (int i = 0; i < n; i++, k++) {
        if (x[i] > 0.2)
            continue;
        x[i] = k;
    }
}

void count_macros(int n, double *x)
{
    FOR (i, n)
        FOR (j, MAX(i, 3) + 1)
            x[i * 16 + j] += MAX(x[i], 0.1);
}

void count_not_equal(int n, double *x)
{
    for (int i = 0; i != n; i += 1)
        for (int j = n - 1; j != -1; j--)
            x[i + j] += 1;
}

void count_to_both(int n, double *x)
{
    for (int i = 0; i < n && i < 9; i++)
        for (int j = 2 * i; j < n && j <= i + 3; j++)
            x[i * 16 + j] += 1;
    for (int i = n; i > 0 && i >= n - 3; i -= 2)
        x[i] += 1;
}

#define likely(x) __builtin_expect(!!(x), 1)

void count_likely(int n, double *x)
{
    for (int i = 0; likely(i < n); i++)
        if (__builtin_expect(x[i] > 0.1, 0))
            x[i] += 1;
    for (int i = 0; __builtin_expect((char)(n - i), 1); i++)
        x[i] += 2;
}

int main(void)
{
    RUN(count_down((size_t)n, a), "count_down")
    RUN(count_down_plain(n, a), "count_down_plain")
    RUN(count_down_before(n, a), "count_down_before")
    RUN(count_down_nested((unsigned)n, a), "count_down_nested")
    RUN(count_down_by_two(n, a), "count_down_by_two")
    RUN(count_both(n, a), "count_both")
    RUN(count_offsets(n, a), "count_offsets")
    RUN(count_offsets_changed(n, a), "count_offsets_changed")
    RUN(count_both_skipping(n, a), "count_both_skipping")
    RUN(count_macros(n, a), "count_macros")
    RUN(count_to_both(n, a), "count_to_both")
    RUN(count_not_equal(n, a), "count_not_equal")
    RUN(count_likely(n, a), "count_likely")
}
