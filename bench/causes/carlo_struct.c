/* carlo_flat with structs and an index, and more of the whole numbers. */
#define WALK(p)  p = p * 0.96875f + x;
#define WALKS(p) WALK(p) WALK(p) WALK(p) WALK(p)
#define MIX(a)   a = (a + (a >> 5)) ^ i;
#define MIXES(a) MIX(a) MIX(a) MIX(a)

struct cell {
    float density, rest[31];
};

#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight set x = 0.25
#pragma inflight buffer in = cycle(1, 4096)
float carlo_struct(unsigned n, float x, const struct cell cell[restrict n],
                   const int in[restrict n])
{
    float sum = 0, p = x, q = 2 * x, r = 3 * x, s = 4 * x, t = 5 * x, u = 6 * x;
    unsigned a = 1, b = 2, c = 3, d = 4;
    for (unsigned i = 0; i < n; i++) {
        sum += cell[in[i]].density;
        WALKS(p)
        MIXES(a) WALKS(q) MIXES(b) WALKS(r) MIXES(c) WALKS(s) MIXES(d) WALKS(t) WALKS(u)
    }
    return sum + ((p + q) + (r + s)) + (t + u) + (float)(a ^ b ^ c ^ d);
}
