#include "kernels.h"

double table[64];
int level;
static float scale = 2.5f;

void gather(int n, double alpha, const int *index, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += alpha * x[index[i]];
}

void two(int n, int m, double a[n][m], const double b[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] += 2 * b[i][j];
}

double fields(struct grid *g)
{
    double s = 0;

    for (int i = 0; i < g->nx; i++)
        for (int j = 0; j < g->ny; j++) {
            g->u[i * g->ny + j] = g->w * g->v[i * g->ny + j] + g->box.b;
            s += g->u[i * g->ny + j];
        }
    return s;
}

void bodies(int n, struct body *p, const double *force)
{
    for (int i = 0; i < n; i++) {
        p[i].x += force[p[i].cell] / p[i].m;
        p[i].y -= force[p[i].cell];
    }
}

void globals(int n, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = table[i % 64] * level * scale;
}

void many(int a, int b, int c, int d, int e, int f, int g, int n, double x,
          const double *in, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = x * in[i] + a + b + c + d + e + f + g;
}

/* Compilers make a copy of it in which the step is 2. */
static __attribute__((noinline)) double stepped(int n, int step, const double *a)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += a[i * step];
    return s;
}

double cloned(int n, const double *a)
{
    return stepped(n, 2, a) + stepped(n / 2, 2, a);
}

static inline __attribute__((always_inline)) double gone(int n, const double *a)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

double inlined(int n, const double *a)
{
    return gone(n, a);
}

void calls(int n, double (*function)(double), double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = function(y[i]);
}

/* The rows lie where no size says. */
void coarse(int n, int odd, double **fine, double *y)
{
    int shift;

    if (odd)
        shift = 2;
    else
        shift = 1;
    for (int i = 1; i < n; i++)
        y[i] = fine[2 * i - shift][0];
}

void work(int n, int who, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += who;
}
