#include <stddef.h>
int control(size_t n, const int *restrict a, int *b)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (a[i] < 0)
            continue;
        else if (a[i] == 0) {
            b[k++] = 1;
        } else if (a[i] == 1)
            b[k] = 2;
        else
            for (int j = 0; j < 3; j++)
                b[j] = 3;
        if (a[i] > 9)
            if (a[i] > 99)
                break;
            else
                b[0] = 0;
        if (a[i] == 5)
            ;
        else
            b[1]++;
        { int t = a[i]; b[t] = t; }
        while (k > 10)
            k /= 2;
        do
            k++;
        while (k < 3);
        do {
            k += 2;
        } while (k % 3);
        ;
    }
    if (k)
        if (n)
            return (int)k;
    return b[0];
}
