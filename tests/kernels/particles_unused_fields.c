/*
 * particles_unused_fields: Eight fields, of which a pass uses two: three quarters of what is fetched
 * is not wanted. An array for each field would help.
 */
struct particle {
    float x, y, z, vx, vy, vz, mass, age;
};

#pragma inflight kernel
#pragma inflight set n = 4000000
void particles_unused_fields(long n, struct particle *p, float dt)
{
    for (long i = 0; i < n; i++)
        p[i].x = 0.5f * p[i].x + dt * p[i].vx;
}
