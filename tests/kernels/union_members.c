/*
 * union_members: Two names for the same bytes: what one writes the other reads.
 */
union cell {
    int i;
    float f;
};

#pragma inflight kernel
#pragma inflight set n = 1000000
#pragma inflight buffer c length n
void union_members(long n, union cell *c, float *out)
{
    for (long i = 0; i < n; i++) {
        c[i].f = c[i].f + 1.0f;
        out[i] = (float)(c[i].i & 255);
    }
}
