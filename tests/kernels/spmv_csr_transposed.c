/*
 * spmv_csr_transposed: The same storage as columns: results are added all over.
 */
#pragma inflight kernel
#pragma inflight set rows = 300000
#pragma inflight set columns = 8000000
#pragma inflight buffer start = offsets(16)
#pragma inflight buffer column = index(columns)
#pragma inflight buffer column length 16 * rows
#pragma inflight buffer value length 16 * rows
void spmv_csr_transposed(int rows, int columns, const int start[restrict rows + 1], const int *restrict column,
                         const double *restrict value, const double x[restrict rows], double y[restrict columns])
{
    for (int r = 0; r < rows; r++)
        for (int k = start[r]; k < start[r + 1]; k++)
            y[column[k]] += value[k] * x[r];
}
