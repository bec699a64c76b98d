/*
 * spmv_bsr: Blocks of 4 x 4 in compressed rows.
 */
#pragma inflight kernel
#pragma inflight set rows = 60000
#pragma inflight set columns = 1000000
#pragma inflight buffer start = offsets(8)
#pragma inflight buffer column = index(columns)
#pragma inflight buffer column length 8 * rows
#pragma inflight buffer block length 8 * rows * 16
#pragma inflight buffer y = zero
void spmv_bsr(int rows, int columns, const int start[restrict rows + 1], const int *restrict column,
              const double (*restrict block)[4][4], const double x[restrict columns][4], double y[restrict rows][4])
{
    for (int r = 0; r < rows; r++)
        for (int b = start[r]; b < start[r + 1]; b++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    y[r][i] += block[b][i][j] * x[column[b]][j];
}
