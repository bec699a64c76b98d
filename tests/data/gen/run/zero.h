/* Compares variants of a kernel with three sizes, each of which may be 0 by itself. */
#include <stdio.h>
#include <string.h>

typedef void kernel_fn(int n, int m, int l, double c[restrict n][m],
                       const double a[restrict n][l], const double b[restrict l][m],
                       double *y);
struct variant {
    const char *plan;
    kernel_fn *run;
};

enum { SIZE_MAX_ = 40, ELEMENTS = SIZE_MAX_ * SIZE_MAX_ };
struct data {
    double c[ELEMENTS], a[ELEMENTS], b[ELEMENTS], y[SIZE_MAX_];
};

static void run_one(const struct variant *variant, int n, int m, int l, struct data *d)
{
    for (int i = 0; i < ELEMENTS; i++) {
        d->c[i] = i % 7 - 3;
        d->a[i] = i % 5 - 2;
        d->b[i] = i % 11 - 5;
    }
    for (int i = 0; i < SIZE_MAX_; i++)
        d->y[i] = i % 3 - 1;
    variant->run(n, m, l, (void *)d->c, (void *)d->a, (void *)d->b, d->y);
}

static int run_all(const struct variant *variants, size_t nr, int joined)
{
    static const int sizes[] = {0, 1, 2, 5, 8, 33};
    static struct data want, got;
    (void)joined;
    for (size_t at = 0; at < 6 * 6 * 6; at++) {
        int n = sizes[at / 36], m = sizes[at / 6 % 6], l = sizes[at % 6];
        run_one(&variants[0], n, m, l, &want);
        for (size_t i = 1; i < nr; i++) {
            run_one(&variants[i], n, m, l, &got);
            if (!memcmp(&want, &got, sizeof(want)))
                continue;
            printf("%s: other results at n=%d m=%d l=%d\n", variants[i].plan, n, m, l);
            return 1;
        }
    }
    return 0;
}
