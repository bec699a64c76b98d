/* After the force loop of programs for molecular dynamics over all pairs: sums in
 * locals over records. Known remedy: 16 bodies side by side, so that the sums are
 * vectors. */
struct body {
    float x, y, z, mass;
};

#pragma inflight kernel
#pragma inflight set n = 4000
void bodies(int n, const struct body *restrict b, float *restrict fx, float *restrict fy,
            float *restrict fz)
{
    for (int i = 0; i < n; i++) {
        float sx = 0, sy = 0, sz = 0;
        for (int j = 0; j < n; j++) {
            float dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
            float s = 1 / (dx * dx + dy * dy + dz * dz + 1), s3 = s * s * s,
                  f = b[j].mass * s3 * (s3 - 0.5f) * s;
            sx += dx * f;
            sy += dy * f;
            sz += dz * f;
        }
        fx[i] = sx;
        fy[i] = sy;
        fz[i] = sz;
    }
}

enum { SIDE = 32 };

void hand(int n, const struct body *restrict b, float *restrict fx, float *restrict fy,
          float *restrict fz)
{
    for (int ib = 0; ib < n; ib += SIDE) {
        float px[SIDE] = {0}, py[SIDE] = {0}, pz[SIDE] = {0}, sx[SIDE] = {0},
              sy[SIDE] = {0}, sz[SIDE] = {0};
        int here = n - ib < SIDE ? n - ib : SIDE;
        for (int v = 0; v < here; v++) {
            px[v] = b[ib + v].x;
            py[v] = b[ib + v].y;
            pz[v] = b[ib + v].z;
        }
        for (int j = 0; j < n; j++)
            for (int v = 0; v < SIDE; v++) {
                float dx = b[j].x - px[v], dy = b[j].y - py[v], dz = b[j].z - pz[v];
                float s = 1 / (dx * dx + dy * dy + dz * dz + 1), s3 = s * s * s,
                      f = b[j].mass * s3 * (s3 - 0.5f) * s;
                sx[v] += dx * f;
                sy[v] += dy * f;
                sz[v] += dz * f;
            }
        for (int v = 0; v < here; v++) {
            fx[ib + v] = sx[v];
            fy[ib + v] = sy[v];
            fz[ib + v] = sz[v];
        }
    }
}
