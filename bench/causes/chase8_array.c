/* Sixteen lists by eights, the heads in an array that the caller gives. */
#pragma inflight kernel
#pragma inflight set steps = 65536
#pragma inflight set n = 16777216
#pragma inflight buffer next = cycle(16, 65536)
#pragma inflight buffer end = zero
void chase8_array(long steps, long n, long end[restrict 16], const long next[restrict n])
{
    for (long half = 0; half < 2; half++) {
        for (long k = 0; k < 8; k++)
            end[8 * half + k] = (8 * half + k) * (n / 16);
        for (long i = 0; i < steps; i++)
            for (long k = 0; k < 8; k++)
                end[8 * half + k] = next[end[8 * half + k]];
    }
}

/* All sixteen at once. */
void remedy(long steps, long n, long end[restrict 16], const long next[restrict n])
{
    for (long k = 0; k < 16; k++)
        end[k] = k * (n / 16);
    for (long i = 0; i < steps; i++)
        for (long k = 0; k < 16; k++)
            end[k] = next[end[k]];
}
