#include "broken.h"
void nested_error(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
