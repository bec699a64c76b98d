/* columns_2d with one subscript, float, and the largest of each column instead of the
 * sum. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set rows = 262144
#pragma inflight set columns = 128
#pragma inflight buffer y = zero
void columns_flat(size_t rows, size_t columns, float y[restrict columns],
                  const float a[restrict rows * columns])
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            y[j] = y[j] > a[i * columns + j] ? y[j] : a[i * columns + j];
}
