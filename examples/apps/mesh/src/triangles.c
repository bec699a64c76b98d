/* The corners of the mesh, as a generator would hand them over. */
#include <stdlib.h>

#include "mesh.h"

#include "common/app.h"

/* Inner corners move by at most this share of a square: triangles stay triangles. */
static const double MOVED = 0.2;

static void points_make(struct triangles *triangles, long rows, double width,
                        struct app_random *random)
{
    double square = width / (double)rows;

    for (long y = 0; y <= rows; y++)
        for (long x = 0; x <= rows; x++) {
            struct point *point = &triangles->point[y * (rows + 1) + x];
            double right = MOVED * square * (2.0 * app_random_unit(random) - 1.0);
            double up = MOVED * square * (2.0 * app_random_unit(random) - 1.0);

            point->x = square * (double)x + (x > 0 && x < rows ? right : 0.0);
            point->y = square * (double)y + (y > 0 && y < rows ? up : 0.0);
        }
}

static void corner_set(int corner[3], long a, long b, long c)
{
    corner[0] = (int)a;
    corner[1] = (int)b;
    corner[2] = (int)c;
}

/* Cuts the square whose lower left corner is point a, along one of its diagonals. */
static void square_cut(struct triangles *triangles, long a, long rows, bool rising,
                       const int cell[2])
{
    long b = a + 1, d = a + rows + 1, c = d + 1;

    if (rising) {
        corner_set(triangles->corner[cell[0]], a, b, c);
        corner_set(triangles->corner[cell[1]], a, c, d);
    } else {
        corner_set(triangles->corner[cell[0]], a, b, d);
        corner_set(triangles->corner[cell[1]], b, c, d);
    }
}

void triangles_make(struct triangles *triangles, long rows, double width, uint64_t seed,
                    bool ordered)
{
    struct app_random random = {.state = seed};

    triangles->points = (rows + 1) * (rows + 1);
    triangles->cells = 2 * rows * rows;
    triangles->point = app_array((size_t)triangles->points, sizeof(*triangles->point));
    triangles->corner = app_array((size_t)triangles->cells, sizeof(*triangles->corner));
    points_make(triangles, rows, width, &random);

    int *number = app_array((size_t)triangles->cells, sizeof(*number));
    app_shuffled(&random, number, triangles->cells);
    for (long s = 0; s < rows * rows; s++) {
        const int in_order[2] = {(int)(2 * s), (int)(2 * s + 1)};
        bool rising = app_random_next(&random) & 1;

        square_cut(triangles, s / rows * (rows + 1) + s % rows, rows, rising,
                   ordered ? in_order : &number[2 * s]);
    }
    free(number);
}

void triangles_release(struct triangles *triangles)
{
    free(triangles->point);
    free(triangles->corner);
    *triangles = (struct triangles){0};
}
