#include <stdbool.h>
void f(int n, bool *a, const bool *b)
{
    for (int i = 0; i < n; i++)
        a[i] = !b[i] || a[i];
}
