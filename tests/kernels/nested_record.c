/*
 * nested_record: A record within a record, and a small array in it.
 */
typedef struct {
    double pos[3], vel[3];
} body;
typedef struct {
    int id;
    body b;
} entry;

#pragma inflight kernel
#pragma inflight set n = 2000000
void nested_record(long n, entry e[restrict n], double energy[restrict n])
{
    for (long i = 0; i < n; i++) {
        energy[i] = 0;
        for (int d = 0; d < 3; d++) {
            e[i].b.pos[d] = 0.5 * e[i].b.pos[d] + e[i].b.vel[d];
            energy[i] += 0.5 * e[i].b.vel[d] * e[i].b.vel[d];
        }
    }
}
