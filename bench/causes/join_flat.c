/* Two sorted lists of numbers, kept as the steps between them, and what is in one of them
 * only: which one goes on is decided by random steps, and the branches guard stores. */
#include <stdint.h>

#pragma inflight kernel
#pragma inflight set rounds = 8
#pragma inflight set n = 524288
#pragma inflight buffer a = uniform(1, 255)
#pragma inflight buffer b = uniform(1, 255)
#pragma inflight buffer left = zero
#pragma inflight buffer right = zero
long join_flat(long rounds, long n, int left[restrict n + 1], int right[restrict n + 1],
               const uint8_t a[restrict n + 1], const uint8_t b[restrict n + 1])
{
    long sum = 0;
    for (long r = 0; r < rounds; r++) {
        long i = 0, j = 0, l = 0, m = 0;
        int x = a[0], y = b[0];
        while (i < n && j < n) {
            if (x < y) {
                left[l++] = x;
                x += a[++i];
            } else if (x > y) {
                right[m++] = y;
                y += b[++j];
            } else {
                x += a[++i];
                y += b[++j];
            }
        }
        sum += l - m;
    }
    return sum;
}

/* Both are written, the next ones over them, and go on by what the comparisons say. */
long remedy(long rounds, long n, int left[restrict n + 1], int right[restrict n + 1],
            const uint8_t a[restrict n + 1], const uint8_t b[restrict n + 1])
{
    long sum = 0;
    for (long r = 0; r < rounds; r++) {
        long i = 0, j = 0, l = 0, m = 0;
        int x = a[0], y = b[0];
        while (i < n && j < n) {
            const int of_a = x <= y, of_b = x >= y;
            const int next_a = a[i + 1], next_b = b[j + 1];
            left[l] = x;
            right[m] = y;
            l += 1 - of_b;
            m += 1 - of_a;
            x += next_a & -of_a;
            y += next_b & -of_b;
            i += of_a;
            j += of_b;
        }
        sum += l - m;
    }
    return sum;
}
