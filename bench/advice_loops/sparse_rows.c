/* After the product of a sparse matrix and a vector, the kernel of conjugate gradient
 * benchmarks, with columns anywhere. Known remedy: the elements of later rows
 * prefetched through the columns. */
#pragma inflight kernel
#pragma inflight set rows = 400000
#pragma inflight set nz = 4000000
#pragma inflight set n = 16000000
#pragma inflight buffer row = offsets(5)
#pragma inflight buffer col = index(n)
void sparse_rows(int rows, int nz, int n, double y[restrict rows],
                 const int row[restrict rows + 1], const int col[restrict nz],
                 const double a[restrict nz], const double x[restrict n])
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = row[i]; k < row[i + 1]; k++)
            sum += a[k] * x[col[k]];
        y[i] = sum;
    }
}

void hand(int rows, int nz, int n, double y[restrict rows],
          const int row[restrict rows + 1], const int col[restrict nz],
          const double a[restrict nz], const double x[restrict n])
{
    (void)n;
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = row[i]; k < row[i + 1]; k++) {
            int later = k + 64 < nz ? k + 64 : nz - 1;
            __builtin_prefetch(&x[col[later]]);
            sum += a[k] * x[col[k]];
        }
        y[i] = sum;
    }
}
