/* Loops that count and are no `for`. */
#include "drive.h"

void while_up(int n, double *x)
{
    int i = 0;
    while (i < n) {
        x[i] += x[i + 1];
        i++;
    }
}

/* What the counter is behind the loop is used. */
void while_used(int n, double *x)
{
    int i, k;
    i = 2;
    k = n;
    while (k >= i) {
        x[i] += k;
        i += 1;
    }
    x[n + 3] = i;
}

void while_first(size_t n, double *x)
{
    size_t i = n;
    while (i != 0) {
        --i;
        x[i] += x[i + 1];
    }
}

void while_within(int n, double *x)
{
    int i = 0;
    while (i < n)
        x[i++] *= 0.5;
    i = -1;
    while (i < n - 1) {
        double was = x[i + 1];
        x[++i] = was * 2;
        if (i > 3)
            x[i + 1] += i;
    }
}

void while_nested(int n, double *x)
{
    int i = 0, j;
    while (i < n) {
        int k = n;
        j = 0;
        while (j < i) {
            x[i * 16 + j] += x[j * 16 + i];
            j++;
        }
        while (k > 0) {
            k -= 2;
            x[i * 16 + j] += k;
        }
        i++;
    }
}

/* Both ends are asked for, and it is set by what is in memory. */
void while_ends(int n, double *x)
{
    int first[2] = {3, 5}, i;
    first[0] = n / 2;
    i = first[0];
    while (i < n && i < 20) {
        x[i] += 1;
        i = i + 1;
    }
}

/* As they are: not each iteration steps, it is not known where they begin, the body
 * leaves, once or more. */
void while_not(int n, double *x)
{
    int i = 0, k = 0;
    while (i < n) {
        if (x[i] > 0.2)
            i++;
        x[i] += 1;
        i++;
    }
    while (k < n) {
        x[k] += 1;
        k++;
        if (x[k] > 0.3)
            break;
    }
    while (k < n) {
        if (x[k] > 0.4) {
            k += 2;
            continue;
        }
        k++;
        x[k] = 0;
    }
    i = 0;
    do {
        x[i] += 1;
        i++;
    } while (i < n);
    while (n-- > 0)
        x[n] += 1;
}

/* Set to what changes before the loop, and jumped to. */
void while_set(int n, double *x)
{
    int m = n / 3, i = m;
    m = 0;
    while (i < n) {
        x[i] += m;
        i++;
    }
    i = 0;
again:
    while (i < n) {
        x[i] += 1;
        i++;
    }
    if (x[0] < 3) {
        x[0] += 1;
        i = 1;
        goto again;
    }
}

int while_counted(int n, double *x)
{
    size_t m = (size_t)n;
    double *p = x, *q = x + 64;
    while (m--)
        x[m] += n;
    for (int i = 0; i < 3; i++) {
        int k = n;
        while (k-- > 0)
            x[k] += i;
        for (k = i; --k >= 0;)
            x[k] += k;
    }
    while (n-- > 0)
        *p++ += *q++;
    return n;
}

int while_on(int n, double *x)
{
    int i = n / 3, k = 2;
    for (; i < n; i++)
        x[i] *= 2;
    if (n > 3)
        while (k < n) {
            k++;
            x[k] += k;
        }
    else
        for (; k <= n + 1; ++k)
            x[k] -= k;
    for (; n; n--)
        x[n] += i;
    return i * 100 + k * 10 + n;
}

int while_on_again(int n, double *x)
{
    int k = n, m = 3;
    for (int i = 0; i < n; i++) {
        while (k--) /* k goes on */
            x[k] += i;
        k = idx[i] % 4;
    }
    for (; m < idx[0] + n; m++) { /* its end changes */
        idx[0] ^= 1;
        x[m] += m;
    }
    for (; k < n; k++) {
        int k = 3; /* another one */
        x[k] += 1;
    }
    for (; n > 2; n -= 2)
        x[n] -= 1;
    return k * 100 + m * 10 + n;
}

int main(void)
{
    RUN(while_up(n, a), "while_up")
    RUN(while_used(n, a), "while_used")
    RUN(while_first((size_t)n, a), "while_first")
    RUN(while_within(n, a), "while_within")
    RUN(while_nested(n, a), "while_nested")
    RUN(while_ends(n, a), "while_ends")
    RUN(while_not(n, a), "while_not")
    RUN(while_set(n, a), "while_set")
    RUN(c[0] = while_counted(n, a), "while_counted")
    RUN(c[0] = while_on(n, a), "while_on")
    RUN(c[0] = while_on_again(n, a), "while_on_again")
}
