/* After libraries for sparse matrices: each row times a factor of its own, before a
 * solver begins. Nothing to gain: rows are long enough for vectors, and each number is
 * read and written once, at the speed of memory. */
#pragma inflight kernel
#pragma inflight set rows = 300000
#pragma inflight buffer start = offsets(100)
#pragma inflight buffer value length 100 * rows
#pragma inflight buffer value = uniform(1, 2)
#pragma inflight buffer factor = uniform(0.99999, 1.00001)
void scale_sparse_rows(int rows, double *restrict value,
                       const int start[restrict rows + 1],
                       const double factor[restrict rows])
{
    for (int r = 0; r < rows; r++)
        for (int k = start[r]; k < start[r + 1]; k++)
            value[k] *= factor[r];
}
