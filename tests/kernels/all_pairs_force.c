/*
 * all_pairs_force: Gravity between all pairs, a thousand bodies in the first cache; the inner loop has
 * roots and quotients only.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set n = 1500
void all_pairs_force(int n, const float x[restrict n], const float y[restrict n], const float z[restrict n],
                     float fx[restrict n], float fy[restrict n], float fz[restrict n])
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float w = 1e-3f / (r2 * sqrtf(r2));

            fx[i] = 0.999f * fx[i] + w * dx;
            fy[i] = 0.999f * fy[i] + w * dy;
            fz[i] = 0.999f * fz[i] + w * dz;
        }
}
