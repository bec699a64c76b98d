/* Expressions that libclang shows as if they were casts. */
#include <stdarg.h>
#include <stddef.h>
typedef int i4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
struct pair {
    int a, b[4];
};
double unexposed(int n, f4 *f, const i4 *v, ...)
{
    double sum = 0;
    va_list args;
    va_start(args, v);
    for (int i = 0; i < n; i++) {
        sum += va_arg(args, double);
        sum += __builtin_va_arg(args, int);
        f[i] = __builtin_convertvector(v[i], f4);
        sum += offsetof(struct pair, b[1]) + __builtin_offsetof(struct pair, b[2]);
        sum += __func__[i] + (__extension__(n + 1));
        sum += __builtin_choose_expr(1, n, 2.0) + __builtin_types_compatible_p(int, long);
    }
    va_end(args);
    return sum;
}
