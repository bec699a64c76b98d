/* jacobi_2d with one subscript, float, weights, and one sweep there and back. */
#pragma inflight kernel
#pragma inflight set rows = 16000
#pragma inflight set n = 1500
#pragma inflight set keep = 0.5
#pragma inflight set mix = 0.125
void jacobi_flat(long rows, long n, float keep, float mix, float a[restrict rows * n],
                 float b[restrict rows * n])
{
    for (long i = n; i < (rows - 1) * n; i++)
        b[i] = keep * a[i] + mix * (a[i - n] + a[i + n] + a[i - 1] + a[i + 1]);
    for (long i = n; i < (rows - 1) * n; i++)
        a[i] = keep * b[i] + mix * (b[i - n] + b[i + n] + b[i - 1] + b[i + 1]);
}
