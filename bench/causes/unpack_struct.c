/* unpack_2d as an update of one field of structs of a line, in place. */
#include <stddef.h>

struct particle {
    float x, y, z, u, v, w, mass, charge, rest[8];
};

#pragma inflight kernel
#pragma inflight set n = 4194304
#pragma inflight set scale = 0.5
void unpack_struct(size_t n, float scale, struct particle particle[restrict n])
{
    for (size_t i = 0; i < n; i++)
        particle[i].charge *= scale;
}
