/* Row pointers. */
#include "drive.h"

void row_sum(int n, int m, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        const double *row = x + i * m;
        double s = 0;
        for (int j = 0; j < m; j++)
            s += row[j];
        y[i] = s;
    }
}

void row_address(size_t n, size_t m, double *restrict x, const double *restrict y)
{
    for (size_t i = 0; i < n; i++) {
        double *dst = &x[i * m];
        const double *src = &y[i * m + 1];
        for (size_t j = 0; j < m; j++)
            dst[j] = 2 * *(src + j) + *src;
    }
}

void row_of_array(int n, double x[n][n], double y[n][n])
{
    for (int i = 1; i < n; i++) {
        double *up = x[i - 1], *here = &x[i][0];
        double(*band)[n] = &y[i - 1];
        for (int j = 0; j < n; j++) {
            here[j] += up[j];
            band[1][j] = here[j] - band[0][j];
        }
    }
}

void row_of_row(int n, double *x)
{
    for (int i = 0; i < n; i++) {
        double *plane = x + i * n;
        for (int j = 0; j < n; j++) {
            double *cell = plane + j;
            *cell = cell[0] * 0.5 + j;
        }
    }
}

void row_assigned(int n, double *x, const double *y)
{
    double *row;
    const double *other;
    int i, j;
    for (i = 0; i < n; i++) {
        row = x + i * n;
        other = y + i;
        for (j = 0; j < n; j++)
            row[j] += other[j];
    }
}

/* The subscripts may be changed by what the loop stores: left alone. */
void row_by_index(int n, double *x, int *index)
{
    for (int i = 0; i < n; i++) {
        double *row = x + index[i] * 8;
        index[i] = index[n - 1 - i];
        row[0] += 1;
    }
}

void row_by_index_kept(int n, double *x, const int *index)
{
    for (int i = 0; i < n; i++) {
        double *row = x + index[i] * 8;
        for (int j = 0; j < 8; j++)
            row[j] += 1;
    }
}

/* What it is made of changes: left alone. */
void row_moved(int n, double *x)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        double *row = x + k;
        k += 3;
        row[0] += k;
        row[1] -= k;
    }
}

/* `i` is another variable where it is used: left alone. */
void row_hidden(int n, double *x)
{
    for (int i = 0; i < n; i++) {
        double *row = x + i * n;
        for (int k = 0; k < n; k++) {
            const int i = k / 2;
            row[i] += 1;
        }
    }
}

/* Unsigned subscripts wrap around before a pointer does: not added. */
void row_unsigned(unsigned n, double *x)
{
    for (unsigned i = 0; i < n; i++) {
        double *row = x + 64;
        for (unsigned j = 0; j < n; j++)
            row[j - 1 + i + 1] += 1;
        const double *back = x + (i + 1);
        for (int j = -1; j < 1; j++)
            x[128 + i] += back[j];
    }
}

struct body {
    double pos[3], vel[3];
    int kind;
    struct { double mass, charge; } w;
};
static struct body world[64];

void row_record(int n, struct body *p, double dt)
{
    for (int i = 0; i < n; i++) {
        struct body *q = &p[i];
        for (int k = 0; k < 3; k++)
            q->pos[k] += dt * q->vel[k] / q->w.mass;
        q->kind++;
    }
}

void row_record_sum(int n, const struct body *p, double *out)
{
    for (int i = 0; i < n; i++) {
        const struct body *q = p + i;
        out[i] = q->w.charge * (*q).vel[1] + q[1].pos[0];
    }
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        world[i] = (struct body){{i, 1, 2}, {i * 0.5, 3, 4}, i, {1.5 + i, 0.25}};
    RUN(row_sum(n, n + 1, a, b), "row_sum")
    RUN(row_address((size_t)n, (size_t)n, a, b), "row_address")
    RUN(row_of_array(n, (double(*)[n])a, (double(*)[n])b), "row_of_array")
    RUN(row_of_row(n, a), "row_of_row")
    RUN(row_assigned(n, a, b), "row_assigned")
    RUN(row_by_index(n, a, idx), "row_by_index")
    RUN(row_by_index_kept(n, a, idx), "row_by_index_kept")
    RUN(row_moved(n, a), "row_moved")
    RUN(row_hidden(n, a), "row_hidden")
    RUN(row_unsigned((unsigned)n, a), "row_unsigned")
    RUN(row_record(n, world, 0.125); row_record_sum(n, world, c), "row_record")
}
