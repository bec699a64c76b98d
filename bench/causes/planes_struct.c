/* planes_2d with structs of a line, of which four fields are filled, each from an array
 * of its own. */
struct point {
    float x, y, z, mass, rest[12];
};

#pragma inflight kernel
#pragma inflight set n = 1500000
void planes_struct(long n, struct point point[restrict n], const float x[restrict n],
                   const float y[restrict n], const float z[restrict n],
                   const float mass[restrict n])
{
    for (long i = 0; i < n; i++)
        point[i].x = x[i];
    for (long i = 0; i < n; i++)
        point[i].y = y[i];
    for (long i = 0; i < n; i++)
        point[i].z = z[i];
    for (long i = 0; i < n; i++)
        point[i].mass = mass[i];
}
