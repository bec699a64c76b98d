/* paged_flat with two subscripts, double, and the line spelt out. */
#pragma inflight kernel
#pragma inflight set rounds = 20
#pragma inflight set pages = 32768
double paged_2d(int rounds, int pages, const double a[restrict pages][520])
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int r = 0; r < rounds; r++)
        for (int p = 0; p < pages; p++) {
            s0 += a[p][0] + a[p][4];
            s1 += a[p][1] + a[p][5];
            s2 += a[p][2] + a[p][6];
            s3 += a[p][3] + a[p][7];
        }
    return (s0 + s1) + (s2 + s3);
}
