/*
 * Kernels whose traffic has a closed form (bench/traffic_figures.c). Complex numbers are
 * two doubles. The copies of a 3-D FFT by their names: S1CF and S2CF re-sort by columns,
 * S1PF and S2PF by planes.
 */
double stream_read(long n, const double a[restrict n])
{
    double sum = 0;

    for (long i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

void stream_write(long n, double a[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = 1.5;
}

void stream_copy(long n, double a[restrict n], const double b[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = b[i];
}

void stream_triad(long n, double a[restrict n], const double b[restrict n],
                  const double c[restrict n])
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

/* One element of each line is written. */
void stream_strided(long n, double a[restrict n * 8])
{
    for (long i = 0; i < n; i++)
        a[8 * i] = 1.5;
}

void gemv(long m, long n, const double a[restrict m * n], const double x[restrict n],
          double y[restrict m])
{
    for (long i = 0; i < m; i++) {
        double sum = 0;

        for (long k = 0; k < n; k++)
            sum += a[i * n + k] * x[k];
        y[i] = sum;
    }
}

/* The matrix has n rows only; they are taken again and again. */
void gemv_capped(long m, long n, const double a[restrict n * n],
                 const double x[restrict n], double y[restrict m])
{
    for (long i = 0; i < m; i++) {
        double sum = 0;

        for (long k = 0; k < n; k++)
            sum += a[i % n * n + k] * x[k];
        y[i] = sum;
    }
}

/* As many products as are asked for, each of matrices of its own. */
void gemm(long batch, long n, const double a[restrict batch * n * n],
          const double b[restrict batch * n * n], double c[restrict batch * n * n])
{
    for (long t = 0; t < batch; t++)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++) {
                double sum = 0;

                for (long k = 0; k < n; k++)
                    sum += a[t * n * n + i * n + k] * b[t * n * n + k * n + j];
                c[t * n * n + i * n + j] = sum;
            }
}

void s1cf_nest1(long planes, long rows, long cols,
                double to[restrict planes * rows * cols * 2],
                const double from[restrict planes * rows * cols * 2])
{
    for (long p = 0; p < planes; p++)
        for (long r = 0; r < rows; r++)
            for (long c = 0; c < cols; c++) {
                to[((p * rows + r) * cols + c) * 2] =
                    from[((p * rows + r) * cols + c) * 2];
                to[((p * rows + r) * cols + c) * 2 + 1] =
                    from[((p * rows + r) * cols + c) * 2 + 1];
            }
}

void s1cf_nest2(long planes, long rows, long cols,
                double to[restrict planes * rows * cols * 2],
                const double from[restrict planes * rows * cols * 2])
{
    for (long c = 0; c < cols; c++)
        for (long p = 0; p < planes; p++)
            for (long r = 0; r < rows; r++) {
                to[((c * planes + p) * rows + r) * 2] =
                    from[((p * rows + r) * cols + c) * 2];
                to[((c * planes + p) * rows + r) * 2 + 1] =
                    from[((p * rows + r) * cols + c) * 2 + 1];
            }
}

void s1cf(long planes, long rows, long cols, double to[restrict planes * rows * cols * 2],
          const double from[restrict planes * rows * cols * 2])
{
    for (long p = 0; p < planes; p++)
        for (long r = 0; r < rows; r++)
            for (long c = 0; c < cols; c++) {
                to[((c * planes + p) * rows + r) * 2] =
                    from[((p * rows + r) * cols + c) * 2];
                to[((c * planes + p) * rows + r) * 2 + 1] =
                    from[((p * rows + r) * cols + c) * 2 + 1];
            }
}

/* Rows stay together. */
void s2cf(long planes, long x, long y, long rows,
          double to[restrict planes * x * y * rows * 2],
          const double from[restrict planes * x * y * rows * 2])
{
    for (long p = 0; p < planes; p++)
        for (long i = 0; i < x; i++)
            for (long j = 0; j < y; j++)
                for (long r = 0; r < rows; r++) {
                    to[(((p * x + i) * y + j) * rows + r) * 2] =
                        from[(((j * planes + p) * x + i) * rows + r) * 2];
                    to[(((p * x + i) * y + j) * rows + r) * 2 + 1] =
                        from[(((j * planes + p) * x + i) * rows + r) * 2 + 1];
                }
}

/* Each plane is transposed. */
void s1pf(long planes, long rows, long cols, double to[restrict planes * rows * cols * 2],
          const double from[restrict planes * rows * cols * 2])
{
    for (long p = 0; p < planes; p++)
        for (long r = 0; r < rows; r++)
            for (long c = 0; c < cols; c++) {
                to[((p * cols + c) * rows + r) * 2] =
                    from[((p * rows + r) * cols + c) * 2];
                to[((p * cols + c) * rows + r) * 2 + 1] =
                    from[((p * rows + r) * cols + c) * 2 + 1];
            }
}

/* Within each plane; rows stay together. */
void s2pf(long planes, long x, long y, long rows,
          double to[restrict planes * x * y * rows * 2],
          const double from[restrict planes * x * y * rows * 2])
{
    for (long p = 0; p < planes; p++)
        for (long i = 0; i < x; i++)
            for (long j = 0; j < y; j++)
                for (long r = 0; r < rows; r++) {
                    to[(((p * x + i) * y + j) * rows + r) * 2] =
                        from[(((p * y + j) * x + i) * rows + r) * 2];
                    to[(((p * x + i) * y + j) * rows + r) * 2 + 1] =
                        from[(((p * y + j) * x + i) * rows + r) * 2 + 1];
                }
}

void gather(long n, long m, double to[restrict n], const int index[restrict n],
            const double table[restrict m])
{
    for (long i = 0; i < n; i++)
        to[i] = table[index[i]];
}
