/*
 * visit_particles: Particles picked by a list; two of eight fields are used.
 */
struct particle {
    double x, y, z, vx, vy, vz, mass, charge;
};

#pragma inflight kernel
#pragma inflight set n = 1500000
#pragma inflight set m = 3000000
#pragma inflight buffer pick = index(m)
void visit_particles(long n, long m, const struct particle p[restrict m], const int pick[restrict n],
                     double out[restrict n])
{
    for (long i = 0; i < n; i++)
        out[i] = p[pick[i]].mass / (1.0 + p[pick[i]].x * p[pick[i]].x) + 1.0 / (2.0 + p[pick[i]].mass);
}
