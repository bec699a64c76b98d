/* What the programs made of these files share: numbers to start from, sums to compare. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ROOM = 4096 };

static double a[ROOM], b[ROOM], c[ROOM];
static int idx[ROOM];

static void start(void)
{
    for (int i = 0; i < ROOM; i++) {
        a[i] = 1.0 / (i + 3);
        b[i] = 2.0 / (i + 7);
        c[i] = 0.5 + i;
        idx[i] = (i * 37 + 11) % 64;
    }
}

static void report(const char *what, int n)
{
    uint64_t sum = 1469598103934665603u;
    const unsigned char *parts[] = {(void *)a, (void *)b, (void *)c, (void *)idx};
    const size_t bytes[] = {sizeof(a), sizeof(b), sizeof(c), sizeof(idx)};
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < bytes[k]; i++)
            sum = (sum ^ parts[k][i]) * 1099511628211u;
    printf("%s %d %016llx\n", what, n, (unsigned long long)sum);
}

static const int sizes[] = {0, 1, 2, 3, 7, 16, 31};

#define RUN(call, what)                                                                  \
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {                      \
        int n = sizes[s];                                                                \
        start();                                                                         \
        call;                                                                            \
        report(what, n);                                                                 \
    }
