/*
 * accumulate_integers: What a loop makes from its last value in integers: each kind that several
 * accumulators may share whatever the order, and one, a digit sum, that they may not.
 */
#pragma inflight kernel
#pragma inflight set n = 20000
#pragma inflight set m = 31
unsigned accumulate_integers(int n, unsigned m, const int a[restrict n], const unsigned short b[restrict n],
                             long result[restrict 9])
{
    int sum = 0, top = -1000000;
    long count = 1, product = 1;
    unsigned hash = 7, odd = 0, bits = 3, all = ~0u, turned = 1;

    for (int i = 0; i < n; i++) {
        sum -= a[i] * 3;
        if (a[i] > 4)
            count++;
        top = top < a[i] ? a[i] : top;
        product *= 1;
        hash = hash * m + b[i];
        odd ^= (unsigned)a[i];
        bits |= b[i];
        all &= b[i] | 0xf0u;
        turned = turned / 3 + b[i];
    }
    result[0] = sum;
    result[1] = count;
    result[2] = top;
    result[3] = product;
    result[4] = hash;
    result[5] = odd;
    result[6] = bits;
    result[7] = all;
    result[8] = turned;
    return hash + turned;
}
