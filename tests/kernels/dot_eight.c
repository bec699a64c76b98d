/*
 * dot_eight: A dot product with eight sums by hand, so that additions do not wait for one another.
 */
#pragma inflight kernel
#pragma inflight set blocks = 3000000
double dot_eight(long blocks, const double a[restrict blocks][8], const double b[restrict blocks][8])
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    for (long i = 0; i < blocks; i++) {
        s0 += a[i][0] * b[i][0];
        s1 += a[i][1] * b[i][1];
        s2 += a[i][2] * b[i][2];
        s3 += a[i][3] * b[i][3];
        s4 += a[i][4] * b[i][4];
        s5 += a[i][5] * b[i][5];
        s6 += a[i][6] * b[i][6];
        s7 += a[i][7] * b[i][7];
    }
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
}
