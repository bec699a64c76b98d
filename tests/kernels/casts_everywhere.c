/*
 * casts_everywhere: Types of many widths; each conversion is written out.
 */
#include <stdint.h>
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set n = 12000000
#pragma inflight buffer in = index(30000)
void casts_everywhere(size_t n, float out[restrict n], const int16_t in[restrict n], const uint8_t gain[restrict n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = (float)((int32_t)in[i] * (int32_t)gain[i]) / (float)(1 << 15);
}
