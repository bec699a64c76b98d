/* After a much asked question: why the sum of columns of a flat matrix takes longer
 * than that of rows, the subscript kept in a local. Known remedy: rows outside, columns
 * inside. */
#pragma inflight kernel
#pragma inflight set rows = 4000
#pragma inflight set cols = 4200
#pragma inflight buffer sum = zero
void column_sums_locals(int rows, int cols, double *sum, const float *m)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            int k = i * cols + j;
            sum[j] += m[k];
        }
}

void hand(int rows, int cols, double *sum, const float *m)
{
    for (int i = 0; i < rows; i++) {
        const float *row = m + (long)i * cols;
        for (int j = 0; j < cols; j++)
            sum[j] += row[j];
    }
}
