#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <float.h>
#include <limits.h>
#include <stdalign.h>
#include <stdatomic.h>
void transcend(int n, double complex *z, double *r, uint64_t *bits, atomic_int *count)
{
    for (int i = 0; i < n; i++) {
        r[i] = creal(z[i]) * fmax(sin(r[i]), DBL_EPSILON) + INT_MAX + (double)UINT64_C(3) + M_PI;
        memcpy(&bits[i], &r[i], sizeof bits[i]);
        z[i] = r[i] + 2.0 * I;
        atomic_fetch_add(count, 1);
        r[i] = isnan(r[i]) ? NAN : INFINITY;
    }
}
