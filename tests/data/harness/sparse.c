/* Static, row starts and columns from memory, a neighbour file, a helper with a global name. */
#include "sparse_helper.h"

double weight = 1.25;

double weighted(double x)
{
    return weight * x;
}

#pragma inflight kernel
#pragma inflight set rows = 200
#pragma inflight set cols = 300
#pragma inflight set nnz = 8 * rows
#pragma inflight buffer start = offsets(8)
#pragma inflight buffer col = index(cols)
#pragma inflight buffer y length rows
static void spmv(int rows, int cols, int nnz, const int start[rows + 1], const int col[nnz],
                 const double val[nnz], const double x[cols], double *y)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = start[i]; k < start[i + 1]; k++)
            sum += SHRINK(val[k] * x[col[k]]);
        y[i] = weighted(sum);
    }
}

int main(void)
{
    spmv(0, 0, 0, 0, 0, 0, 0, 0);
    return 7;
}
