#include <stdlib.h>
const double *returning(const double *a, size_t n, double limit)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] > limit)
            return a + i;
    for (const double *p = a; p != a + n; p++)
        if (*p == limit)
            return p;
    return NULL;
}
