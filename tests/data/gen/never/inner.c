/* The iterations over j are independent as long as there is a loop over i around them. */
void kernel(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
#pragma omp parallel for
        for (int j = 0; j < n; j++)
            a[i - j + n] += b[j];
}
