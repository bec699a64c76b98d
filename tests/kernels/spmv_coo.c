/*
 * spmv_coo: One triple after the other in no order.
 */
#pragma inflight kernel
#pragma inflight set nz = 4000000
#pragma inflight set n = 8000000
#pragma inflight buffer row = index(n)
#pragma inflight buffer column = index(n)
void spmv_coo(long nz, long n, const int row[restrict nz], const int column[restrict nz],
              const double value[restrict nz], const double x[restrict n], double y[restrict n])
{
    for (long k = 0; k < nz; k++)
        y[row[k]] += value[k] * x[column[k]];
}
