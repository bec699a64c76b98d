void elsewhere(int n, double *a)
{
    for (int i = 0; i < n; i++)
#include "body.inc"
}
