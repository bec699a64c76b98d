/*
 * Compares what the variants return, and all memory, with kernel_0 (untransformed): for
 * rows below, at and above the length of a block, for conditions that hold never, at
 * times and always. Exit status 1 = some differ.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, LONGEST = 600, CELLS = ROWS * LONGEST };

struct record {
    short key;
    float weight;
};

typedef long kernel_fn(int n, int m, int limit, int *a, const float *x, int *low,
                       unsigned char *high, struct record *record, int *row, double *best,
                       float *least);
struct variant {
    const char *plan;
    kernel_fn *run;
};

struct memory {
    int a[CELLS], low[CELLS], row[CELLS];
    float x[CELLS], least[LONGEST];
    double best[LONGEST];
    unsigned char high[CELLS];
    struct record record[LONGEST + 1];
};

static uint64_t state;

static int random_below(int limit)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)(state >> 33) % limit;
}

static long run(kernel_fn *kernel, int m, int limit, struct memory *at)
{
    memset(at, 0x5a, sizeof(*at));
    state = 7;
    for (int i = 0; i < CELLS; i++) {
        at->a[i] = random_below(1000);
        at->x[i] = (float)random_below(2000) / (random_below(2) ? 1 : 4000);
    }
    for (int i = 0; i < LONGEST; i++) {
        at->best[i] = 700.1 + i;
        at->least[i] = 500.25f;
    }
    return kernel(ROWS, m, limit, at->a, at->x, at->low, at->high, at->record, at->row,
                  at->best, at->least);
}

static int run_all(const struct variant *all, size_t nr, int unused)
{
    static const int length[] = {0, 1, 255, 256, 257, 512, LONGEST};
    static struct memory want, got;
    int found = unused;
    for (size_t k = 0; k < sizeof(length) / sizeof(length[0]); k++)
        for (int limit = -100; limit < 1200; limit += 200) {
            long result = run(all[0].run, length[k], limit, &want);
            for (size_t i = 1; i < nr; i++) {
                if (run(all[i].run, length[k], limit, &got) == result &&
                    !memcmp(&want, &got, sizeof(want)))
                    continue;
                printf("length %d, limit %d: %s\n", length[k], limit, all[i].plan);
                found = 1;
            }
        }
    return found;
}
