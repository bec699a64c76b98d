/*
 * spmv_csr: Compressed rows; the vector is read all over.
 */
#pragma inflight kernel
#pragma inflight set rows = 400000
#pragma inflight set columns = 8000000
#pragma inflight buffer start = offsets(16)
#pragma inflight buffer column = index(columns)
#pragma inflight buffer column length 16 * rows
#pragma inflight buffer value length 16 * rows
void spmv_csr(int rows, int columns, const int start[restrict rows + 1], const int *restrict column,
              const double *restrict value, const double x[restrict columns], double y[restrict rows])
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int k = start[r]; k < start[r + 1]; k++)
            sum += value[k] * x[column[k]];
        y[r] = sum;
    }
}
