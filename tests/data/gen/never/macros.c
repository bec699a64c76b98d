#include "macros.h"
#define jt i

void kernel(int n, double *restrict x, const double *restrict y)
{
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            x[j] += y[i];
}
