/* Rows that pointers lead to, allocated in several ways, and an array whose end only its symbol tells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 30, M = 20, L = 25 };
static double table[48];

double smooth(int n, int m, int l, double **a, double ***b, const double *part)
{
    double sum = 0;

    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            for (int k = 0; k < l; k++)
                a[i][j] += b[i - 1][j][k] + b[i + 1][j][k] - b[i][j - 1][k] - b[i][j + 1][k];
    for (int i = 0; i < n; i++)
        sum += part[i ^ 5];
    return sum;
}

struct point {
    double energy;
    int at[3];
};

static double pick(const struct point *points, int i)
{
    return points[i].energy * points[i].at[2];
}

void handed(int n, const struct point *points, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = pick(points, i);
}

static double *row(const char *how, double *all, int i, int nr, int length)
{
    if (!strcmp(how, "together"))
        return all + i * length;
    if (!strcmp(how, "turned"))
        return all + (nr - 1 - i) * length;
    free(malloc(100 + 16 * i % 64)); /* apart */
    return malloc(length * sizeof(double));
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "together";
    double *all = malloc(N * M * sizeof(*all)), *more = malloc(N * M * L * sizeof(*more));
    struct point *points = calloc(N, sizeof(*points));
    double **a = malloc(N * sizeof(*a)), ***b = malloc(N * sizeof(*b));
    FILE *file;

    for (int i = 0; i < N; i++) {
        a[i] = row(how, all, i, N, M);
        b[i] = malloc(M * sizeof(*b[i]));
        for (int j = 0; j < M; j++) {
            a[i][j] = i - 0.25 * j;
            b[i][j] = row(how, more, i * M + j, N * M, L);
            for (int k = 0; k < L; k++)
                b[i][j][k] = (i * 7 + j * 3 + k) % 11;
        }
    }
    b[0][0] = b[N - 1][M - 1] = (void *)8; /* corners that nobody uses */
    if (!strcmp(how, "shared"))
        b[3][4] = a[5];
    smooth(N, M, L, a, b, table);
    file = fopen("after.bin", "wb");
    for (int i = 1; i < N - 1; i++)
        fwrite(a[i] + 1, sizeof(*a[i]), M - 2, file);
    fclose(file);
    handed(N, points, table);
    return 0;
}
