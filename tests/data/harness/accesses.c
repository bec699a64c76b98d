/* Every kind of access that plain C makes; each iteration takes the next elements of both
 * arrays. `kind` chooses, in the order of
 * tests/variants/build/test_traced.c. */
#include <complex.h>
#include <stdatomic.h>
#include <string.h>

typedef double v2 __attribute__((vector_size(16), may_alias));
typedef double v4 __attribute__((vector_size(32), may_alias));
typedef double v8 __attribute__((vector_size(64), may_alias));
typedef double v4_any __attribute__((vector_size(32), aligned(1), may_alias));
struct three {
    double x, y, z;
};
struct big {
    double x[32];
};
struct __attribute__((packed)) odd {
    char skip;
    double value;
};
struct bits {
    unsigned low : 5, middle : 11, high : 16;
};

#define KIND(...)                                                                        \
    if (kind == here++)                                                                  \
        for (long i = 0; i < n; i++)                                                     \
            __VA_ARGS__;

void kernel(long n, long m, long kind, double to[restrict m],
            const double from[restrict m])
{
    long here = 0;

    KIND(((char *)to)[i] = ((const char *)from)[i])
    KIND(((short *)to)[i] = ((const short *)from)[i])
    KIND(((int *)to)[i] = ((const int *)from)[i])
    KIND(((double *)to)[i] = ((const double *)from)[i])
    KIND(((double *)to)[i] += ((const double *)from)[i])
    KIND(((long double *)to)[i] = 2 * ((const long double *)from)[i])
    KIND(((double complex *)to)[i] = ((const double complex *)from)[i] + 1)
    KIND(((unsigned __int128 *)to)[i] = ((const unsigned __int128 *)from)[i] + 1)
    KIND(((volatile double *)to)[i] = ((const volatile double *)from)[i])
    KIND(((struct odd *)to)[i].value = ((const struct odd *)from)[i].value)
    KIND(((v2 *)to)[i] = ((const v2 *)from)[i] + 1)
    KIND(((v4 *)to)[i] = ((const v4 *)from)[i] + 1)
    KIND(((v8 *)to)[i] = ((const v8 *)from)[i] + 1)
    KIND(*(v4_any *)((char *)to + 33 * i) =
          *(const v4_any *)((const char *)from + 33 * i) + 1)
    KIND(((struct three *)to)[i] = ((const struct three *)from)[i])
    KIND(((struct big *)to)[i] = ((const struct big *)from)[i])
    KIND(((struct bits *)to)[i].middle = 3)
    KIND(atomic_fetch_add(&((_Atomic long *)to)[i], 1))
    KIND(memcpy((char *)to + 100 * i, (const char *)from + 100 * i, 100))
    KIND(__builtin_memcpy((char *)to + 100 * i, (const char *)from + 100 * i, 100))
    KIND(__builtin___memcpy_chk((char *)to + 100 * i, (const char *)from + 100 * i, 100,
                             8000000))
    KIND(memmove((char *)to + 100 * i, (const char *)from + 100 * i, 100))
    KIND(memset((char *)to + 100 * i, 1, 100))
    KIND(__builtin_memset((char *)to + 100 * i, 1, 100))
    KIND((__builtin_prefetch(&((const double *)from)[i + 64]),
       ((double *)to)[i] = ((const double *)from)[i]))
}
