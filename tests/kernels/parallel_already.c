/*
 * parallel_already: A loop that is shared out among threads already.
 */
#pragma inflight kernel
#pragma inflight set n = 8000000
void parallel_already(long n, double a[restrict n], const double b[restrict n])
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        a[i] = 0.5 * a[i] + b[i];
}
