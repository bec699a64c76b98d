/* 64 bitmaps made one, side by side, half a MiB and a line each: 64 streams, of which
 * prefetchers follow 16 to 32. */
#include <stdint.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAP(r)    a[r][i]
#define MAPS8(r)                                                                         \
    (MAP(r) | MAP((r) + 1) | MAP((r) + 2) | MAP((r) + 3) | MAP((r) + 4) | MAP((r) + 5) | \
     MAP((r) + 6) | MAP((r) + 7))

#pragma inflight kernel
#pragma inflight set n = 524288
#pragma inflight buffer all = zero
void bitmaps_flat(int n, uint64_t all[restrict n], const uint64_t a[restrict 64][n + 8])
{
    for (int i = 0; i < n; i++)
        all[i] = MAPS8(0) | MAPS8(8) | MAPS8(16) | MAPS8(24) | MAPS8(32) | MAPS8(40) |
                 MAPS8(48) | MAPS8(56);
}

/* One bitmap after the other, 16 KiB of each. */
void remedy(int n, uint64_t all[restrict n], const uint64_t a[restrict 64][n + 8])
{
    for (int it = 0; it < n; it += 2048) {
        for (int i = it; i < MIN(it + 2048, n); i++)
            all[i] = 0;
        for (int r = 0; r < 64; r++)
            for (int i = it; i < MIN(it + 2048, n); i++)
                all[i] |= a[r][i];
    }
}
