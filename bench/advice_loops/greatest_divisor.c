/* After Euclid's algorithm in every introduction: the remainder of the remainder.
 * Nothing to gain: each division waits for the one before; here along one chain through
 * all numbers. */
#pragma inflight kernel
#pragma inflight set n = 1000000
#pragma inflight buffer a = uniform(1, 1000000000)
unsigned greatest_divisor(int n, const unsigned a[restrict n])
{
    unsigned x = 1;
    for (int i = 0; i < n; i++)
        x = a[i] % (x + 17) + 3 * (a[i] / (x + 5));
    return x;
}
