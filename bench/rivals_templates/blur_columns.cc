/* Nine weights down the columns: strips of TILE_J columns and TILE_I rows, JAM rows at once, so that these share what
 * they read. ORDER: strips outside, or rows. */
#include "template.hh"

template <int rows>
static inline void some_rows(int w, int jt, int je, double *__restrict__ out, const double *__restrict__ in,
                             const double *__restrict__ weight)
{
    UNROLLED(UNROLL)
    for (int j = jt; j < je; j++)
        UNROLLED(JAM)
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            UNROLLED(9)
            for (int k = 0; k < 9; k++)
                sum += weight[k] * in[(long)(r + k) * w + j];
            out[(long)r * w + j] = sum;
        }
}

extern "C" float blur_columns(int h, int w, double *__restrict__ out, const double *__restrict__ in,
                              const double *__restrict__ weight)
{
    double began = milliseconds();

#if ORDER == 0
    for (int jt = 0; jt < w; jt += TILE_J)
        for (int it = 0; it < h - 8; it += TILE_I) {
#else
    for (int it = 0; it < h - 8; it += TILE_I)
        for (int jt = 0; jt < w; jt += TILE_J) {
#endif
            int je = MIN(jt + TILE_J, w), ie = MIN(it + TILE_I, h - 8), i = it;
            for (; i + JAM <= ie; i += JAM)
                some_rows<JAM>(w, jt, je, &out[(long)i * w], &in[(long)i * w], weight);
            for (; i < ie; i++)
                some_rows<1>(w, jt, je, &out[(long)i * w], &in[(long)i * w], weight);
        }
    return milliseconds() - began;
}
