/*
 * move_particles: Positions from velocities, an array for each component.
 */
#pragma inflight kernel
#pragma inflight set n = 6000000
void move_particles(long n, double dt, double x[restrict n], double y[restrict n], double z[restrict n],
                    const double u[restrict n], const double v[restrict n], const double w[restrict n])
{
    for (long i = 0; i < n; i++) {
        x[i] = 0.5 * x[i] + dt * u[i];
        y[i] = 0.5 * y[i] + dt * v[i];
        z[i] = 0.5 * z[i] + dt * w[i];
    }
}
