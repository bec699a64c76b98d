/*
 * spmv_ell: The same number of entries in each row, stored by rows.
 */
#pragma inflight kernel
#pragma inflight set rows = 300000
#pragma inflight set columns = 8000000
#pragma inflight set width = 16
#pragma inflight buffer column = index(columns)
void spmv_ell(int rows, int columns, int width, const int column[restrict rows][width],
              const double value[restrict rows][width], const double x[restrict columns], double y[restrict rows])
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int k = 0; k < width; k++)
            sum += value[r][k] * x[column[r][k]];
        y[r] = sum;
    }
}
