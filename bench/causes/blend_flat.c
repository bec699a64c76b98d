/* Two pictures blended by a third one: three streams come from memory and one goes there,
 * for three operations of vectors. */
#pragma inflight kernel
#pragma inflight set n = 16777216
#pragma inflight buffer out = zero
void blend_flat(int n, float out[restrict n], const float a[restrict n],
                const float b[restrict n], const float mask[restrict n])
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] + mask[i] * (b[i] - a[i]);
}
