/* One field of structs of a line: of 64 bytes that come from memory eight are used. */
struct particle {
    long x, y, z, u, v, w, mass, charge;
};

#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer particle = uniform(2, 2)
#pragma inflight buffer x = uniform(2, 2)
long field_struct(long n, const struct particle particle[restrict n],
                  const long x[restrict n])
{
    long sum = x[0];
    for (long i = 0; i < n; i++)
        sum += particle[i].x;
    return sum;
}

/* The same field in an array of its own. */
long remedy(long n, const struct particle particle[restrict n], const long x[restrict n])
{
    long sum = particle[0].x;
    for (long i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
