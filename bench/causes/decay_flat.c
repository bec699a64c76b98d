/* A fading sum of numbers that stream from memory: a multiplication and an addition wait
 * for those before, longer than the next eight bytes take to come. */
#pragma inflight kernel
#pragma inflight set n = 16777216
#pragma inflight set keep = 0.96875
double decay_flat(long n, double keep, const double a[restrict n])
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s = s * keep + a[i];
    return s;
}

/* Eight numbers at once: only one multiplication of them waits for the sum. */
double remedy(long n, double keep, const double a[restrict n])
{
    double s = 0, k2 = keep * keep, k4 = k2 * k2, k8 = k4 * k4;
    long i = 0;
    for (; i + 7 < n; i += 8) {
        double p = a[i] * keep + a[i + 1], q = a[i + 2] * keep + a[i + 3];
        double u = a[i + 4] * keep + a[i + 5], v = a[i + 6] * keep + a[i + 7];
        s = s * k8 + ((p * k2 + q) * k4 + (u * k2 + v));
    }
    for (; i < n; i++)
        s = s * keep + a[i];
    return s;
}
