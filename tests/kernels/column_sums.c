/*
 * column_sums: Mean of each column, one column after the other.
 */
#pragma inflight kernel
#pragma inflight set rows = 6000
#pragma inflight set columns = 4000
void column_sums(long rows, long columns, const float data[restrict rows][columns], float mean[restrict columns])
{
    for (long c = 0; c < columns; c++) {
        float sum = 0;
        for (long r = 0; r < rows; r++)
            sum += data[r][c];
        mean[c] = sum / (float)rows;
    }
}
