#include <stddef.h>

/* GNU style, attributes.  */
static inline double __attribute__ ((always_inline))
get (const double *m, size_t ld, size_t r, size_t c)
{
  return m[r * ld + c];
}

__attribute__ ((noinline, hot)) void
f (size_t n, double *restrict c, const double *restrict a,
   const double *restrict b)
{
  size_t i, j, k;

  for (i = 0; i < n; ++i)
    for (j = 0; j < n; ++j)
      {
        double sum = 0.0;

        for (k = 0; k < n; ++k)
          sum += get (a, n, i, k) * get (b, n, k, j);
        c[i * n + j] = sum;
      }
}
