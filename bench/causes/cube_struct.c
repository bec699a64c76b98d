/* cube_flat with structs, float, a root and a division for each of two fields. */
#include <math.h>
#include <stddef.h>

struct point {
    float x, y, angle, length;
};

#pragma inflight kernel
#pragma inflight set rounds = 10000
#pragma inflight set n = 512
void cube_struct(size_t rounds, size_t n, struct point point[restrict n])
{
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < n; i++) {
            float x = point[i].x, y = point[i].y, length = x * x + y * y + 1.0f;
            point[i].angle = x / y + y / length;
            point[i].length = 1.0f / length + length / x;
        }
}
