/*
 * Compares the variants with kernel_0 (untransformed) for divisors and dividends at the
 * edges of their types, at both sides of multiples of the divisor, and at random, in each
 * rounding mode. Exit status 1 = some differ. The source divides nothing by 0: with
 * `traps` a division by it ends the program.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { VALUES = 320, RANDOM = 4000 };

typedef void kernel_fn(int n, int d, unsigned u, short s, const int *x, int *q, int *r,
                       unsigned *uq, unsigned *ur);
struct variant {
    const char *plan;
    kernel_fn *run;
};

struct results {
    int q[VALUES], r[VALUES];
    unsigned uq[VALUES], ur[VALUES];
};

static uint64_t state = 88172645463325252ull;

static uint32_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint32_t bits = (uint32_t)(state >> 32);
    return bits >> (state % 32);
}

/* Powers of two, and what is next to them, from 0 to all bits. */
static uint32_t edge(int i)
{
    return (i / 3 < 32 ? 1u << i / 3 : 0) + (uint32_t)(i % 3) - 1;
}

enum { EDGES = 33 * 3 };

/* Around multiples of the divisor, the greatest among them; edges; at random. */
static int dividends(uint32_t divisor, int *x)
{
    int nr = 0;
    for (int i = 0; i < EDGES; i++)
        x[nr++] = (int)edge(i);
    for (int i = 0; nr + 6 <= VALUES; i++) {
        int d = (int)divisor;
        uint32_t factor = i ? random_bits() : UINT32_MAX / divisor;
        int32_t whole = i || d == -1 ? (int32_t)random_bits() : INT_MAX / d;
        for (int k = -1; k < 2; k++) {
            x[nr++] = (int)(factor * divisor + (uint32_t)k);
            x[nr++] = (int)((uint32_t)whole * divisor + (uint32_t)k);
        }
    }
    return nr;
}

static int differ(const struct variant *all, size_t nr, uint32_t divisor)
{
    static int x[VALUES];
    static struct results want, got;
    int n = dividends(divisor, x), d = (int)divisor, found = 0;
    short s = (short)divisor;
    for (int i = 0; i < n; i++)
        if (x[i] == INT_MIN && (d == -1 || s == -1)) /* overflows in the source */
            x[i] = 0;
    all[0].run(n, d, divisor, s, x, want.q, want.r, want.uq, want.ur);
    for (size_t i = 1; i < nr; i++) {
        all[i].run(n, d, divisor, s, x, got.q, got.r, got.uq, got.ur);
        if (!memcmp(&want, &got, sizeof(want)))
            continue;
        printf("divisor %u: %s\n", divisor, all[i].plan);
        found = 1;
    }
    return found;
}

static int run_all(const struct variant *all, size_t nr, int traps)
{
    static const int mode[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    int found = 0;
    if (traps)
        feenableexcept(FE_DIVBYZERO | FE_INVALID);
    for (size_t m = 0; m < sizeof(mode) / sizeof(mode[0]); m++) {
        fesetround(mode[m]);
        for (int i = 0; i < EDGES; i++)
            if (edge(i))
                found |= differ(all, nr, edge(i));
        for (int i = 0; i < RANDOM; i++)
            found |= differ(all, nr, random_bits() | 1u << (i % 32));
    }
    for (size_t i = 0; i < nr; i++)
        all[i].run(0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL);
    return found;
}
