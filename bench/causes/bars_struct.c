/* bars_rows as structs that are set, every second field, so that no vector takes them. */
struct entry {
    int a, b, c, d, e, f, g, h;
    double i, j, k, l;
};

#pragma inflight kernel
#pragma inflight set rounds = 10000
#pragma inflight set n = 256
#pragma inflight buffer at = permutation
#pragma inflight buffer entry = zero
void bars_struct(long rounds, long n, double zero, struct entry entry[restrict n],
                 const int at[restrict n])
{
    for (long r = 0; r < rounds; r++)
        for (long i = 0; i < n; i++) {
            struct entry *e = &entry[at[i]];
            e->a = (int)r;
            e->c = (int)i;
            e->e = (int)r;
            e->g = (int)i;
            e->i = zero;
            e->k = zero;
        }
}
