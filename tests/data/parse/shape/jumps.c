/* Loops with continue, and loops behind labels. */
#include "drive.h"

void jump_over(int n, double *x, const double *y)
{
    for (int i = 0; i < n; i++) {
        if (i == 3)
            continue;
        x[i] += y[i];
    }
}

void jump_with_work(int n, double *x, const int *kind)
{
    for (int i = 0; i < n; i++) {
        double t = x[i];
        if (kind[i] < 20) {
            x[i] = 1 - t;
            continue;
        }
        if (kind[i] & 1)
            continue;
        double u = t * t;
        x[i] = u;
    }
}

void jump_compared(int n, double *x, const double *y)
{
    for (int i = 0; i < n; i++) {
        if (!(y[i] > x[i]))
            continue;
        x[i] = 0.0 / y[i];
    }
}

/* Loops that wait behind a condition on data stay loops of their own. */
void jump_loops(int n, double *x, const int *kind)
{
    for (int i = 0; i < n; i++) {
        if (kind[i] != 11)
            continue;
        for (int j = 0; j < n; j++)
            x[j] += i;
    }
}

void jump_to_loops(int n, double *x)
{
    for (int i = 0; i < n; i++) {
        if (i % 2 == 0)
            continue;
        for (int j = 0; j < n; j++) {
            if (j == i || j == i + 1)
                continue;
            x[j] += i;
        }
    }
}

/* A field that stays is as good as a variable. */
struct limits {
    int first, *last;
};
void jump_by_field(int n, const struct limits *limits, double *x)
{
    for (int i = 0; i < n; i++) {
        if (i < limits->first)
            continue;
        for (int j = 0; j < n; j++)
            x[j] += i;
    }
}

void jump_deeper(int n, double *x, const int *kind)
{
    for (int i = 0; i < n; i++) {
        if (kind[i] > 3) {
            if (kind[i] > 30)
                continue;
            x[i] = 2;
        }
        x[i] += 1;
    }
}

int jump_label(int n, double *x)
{
    int found = -1;
    for (int i = 0; i < n; i++)
        if (x[i] < 0.1) {
            found = i;
            goto done;
        }
    x[0] = 7;
done:
    for (int i = 0; i < n; i++)
        x[i] *= 2;
    return found;
}

#define AT_LEAST(x, low)                                                                 \
    do {                                                                                 \
        if ((x) >= (low))                                                                \
            break;                                                                       \
        (x) = (low);                                                                     \
    } while (0)

void jump_once(int n, double *x, const int *kind)
{
    for (int i = 0; i < n; i++) {
        AT_LEAST(x[i], 0.25);
        do {
            int k = kind[i] % 4;
            if (k == 1) {
                x[i] += 2;
                break;
            }
            if (k == 2)
                continue;
            x[i] += k;
        } while (0);
        do { /* not with ifs alone */
            if (kind[i] > 9) {
                if (kind[i] > 40)
                    break;
                x[i] -= 1;
            }
            x[i] += 3;
        } while (0);
    }
}

int main(void)
{
    RUN(jump_over(n, a, b), "jump_over")
    RUN(jump_with_work(n, a, idx), "jump_with_work")
    RUN(jump_compared(n, a, b), "jump_compared")
    RUN(jump_loops(n, a, idx), "jump_loops")
    RUN(jump_to_loops(n, a), "jump_to_loops")
    struct limits limits = {2, idx};
    RUN(jump_by_field(n, &limits, a), "jump_by_field")
    RUN(jump_deeper(n, a, idx), "jump_deeper")
    RUN(jump_label(n, a), "jump_label")
    RUN(jump_once(n, a, idx), "jump_once")
}
