/* Sums of columns, one column after the other: of each line one number of eight is used,
 * and the next one of that line comes when 16 MiB of others have gone by. */
#pragma inflight kernel
#pragma inflight set rows = 262144
#pragma inflight set columns = 64
#pragma inflight buffer y = zero
void columns_2d(int rows, int columns, double y[restrict columns],
                const double a[restrict rows][columns])
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            y[j] += a[i][j];
}
