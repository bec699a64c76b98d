#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { N = 6000, M = 500, THREADS = 4, TURNS = 50 };

static void dump(const char *name, const double *y, int n)
{
    FILE *file = fopen(name, "wb");

    fwrite(y, sizeof(*y), n, file);
    fclose(file);
}

static void gathers(void)
{
    int *index = malloc(N * sizeof(*index));
    double *x = malloc(M * sizeof(*x)), *y = calloc(N, sizeof(*y));

    for (int i = 0; i < N; i++)
        index[i] = i * 7919LL % M;
    for (int i = 0; i < M; i++)
        x[i] = 1.0 / (i + 3);
    for (int call = 1; call <= 3; call++) {
        gather(N, 0.1 + call, index, x, y);
        if (call == 2)
            dump("after.bin", y, N);
    }
    free(index);
    free(x);
    free(y);
}

static double twice(double x)
{
    return 2 * x;
}

static void *turns(void *who)
{
    double *y = calloc(100, sizeof(*y));

    for (int i = 0; i < TURNS; i++)
        work(100, (int)(long)who, y);
    free(y);
    return NULL;
}

static void threads(void)
{
    pthread_t thread[THREADS];

    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, turns, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static void all(void)
{
    double *a = malloc(N * sizeof(*a)), *b = malloc(N * sizeof(*b));
    struct body *p = malloc(1000 * sizeof(*p));
    double *rows[] = {a, b, a, b}, **listed = malloc(sizeof(rows));
    struct grid g = {50, 40, 1.25, {1, 2.5f}, a, b};

    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 1.0 / (i + 1);
    }
    for (int i = 0; i < 1000; i++)
        p[i] = (struct body){i, 2 * i, 3 + i, i * 37 % 500};
    for (int i = 0; i < 64; i++)
        table[i] = i;
    level = 3;
    gathers();
    two(60, 100, (void *)a, (void *)b);
    fields(&g);
    bodies(1000, p, b);
    globals(1000, a);
    many(1, 2, 3, 4, 5, 6, 7, 500, 0.125, b, a);
    cloned(2000, a);
    inlined(300, a);
    calls(100, twice, a);
    memcpy(listed, rows, sizeof(rows));
    coarse(3, 1, listed, a);
    coarse(3, 1, rows, a); /* on the stack nothing tells where they end */
    free(listed);
    two(60, 99, (void *)a, (void *)(a + 2));
    threads();
    free(a);
    free(b);
    free(p);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (strcmp(word, "never"))
        all();
    if (!strcmp(word, "abort"))
        abort();
    return strcmp(word, "fail") ? 0 : 5;
}
