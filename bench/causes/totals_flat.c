/* totals_rows with one subscript, float, and the rows weighted. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set rounds = 100
#pragma inflight set rows = 4096
#pragma inflight buffer total = zero
void totals_flat(size_t rounds, size_t rows, float total[restrict 512],
                 const float weight[restrict rows],
                 const float table[restrict 512 * rows])
{
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < 512; j++)
                total[j] += weight[i] * table[512 * i + j];
}
