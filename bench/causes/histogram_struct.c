/* histogram_flat with structs of two lines, a sum and a count of each cell. */
struct cell {
    float mass;
    int particles, rest[30];
};

#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer of = cycle(1, 4096)
#pragma inflight buffer cell = zero
void histogram_struct(long n, float mass, struct cell cell[restrict n],
                      const int of[restrict n])
{
    for (long i = 0; i < n; i++) {
        cell[of[i]].mass += mass;
        cell[of[i]].particles += 1;
    }
}
