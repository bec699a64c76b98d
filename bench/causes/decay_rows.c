/* decay_flat by rows, float and int. */
#pragma inflight kernel
#pragma inflight set rows = 8192
#pragma inflight set n = 4096
#pragma inflight set keep = 0.96875
float decay_rows(int rows, int n, float keep, const float a[restrict rows][n])
{
    float s = 0;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++)
            s = s * keep + a[r][i];
    return s;
}
