/* After talks on data-oriented design: loops over large records that need two fields of
 * them, time and again. Known remedy: the fields that are needed in arrays of their
 * own. */
struct particle {
    float x, y, vx, vy, mass, charge, age, spin, color[8];
};

#pragma inflight kernel
#pragma inflight set sweeps = 16
#pragma inflight set n = 1000000
#pragma inflight buffer energy = zero
void nearest_particles(int sweeps, int n, float energy[restrict sweeps],
                       const struct particle p[restrict n])
{
    for (int s = 0; s < sweeps; s++) {
        float least = 1e30f;
        for (int i = 0; i < n; i++) {
            float dx = p[i].x - (float)s, dy = p[i].y - 0.5f, d = dx * dx + dy * dy;
            least = d < least ? d : least;
        }
        energy[s] = least;
    }
}

enum { ROOM = 1 << 20 };
static float xs[ROOM], ys[ROOM];

void hand(int sweeps, int n, float energy[restrict sweeps],
          const struct particle p[restrict n])
{
    for (int i = 0; i < n; i++) {
        xs[i] = p[i].x;
        ys[i] = p[i].y;
    }
    for (int s = 0; s < sweeps; s++) {
        float least[32], all = 1e30f;
        int i = 0;
        for (int v = 0; v < 32; v++)
            least[v] = 1e30f;
        for (; i + 32 <= n; i += 32)
            for (int v = 0; v < 32; v++) {
                float dx = xs[i + v] - (float)s, dy = ys[i + v] - 0.5f,
                      d = dx * dx + dy * dy;
                least[v] = d < least[v] ? d : least[v];
            }
        for (; i < n; i++) {
            float dx = xs[i] - (float)s, dy = ys[i] - 0.5f, d = dx * dx + dy * dy;
            all = d < all ? d : all;
        }
        for (int v = 0; v < 32; v++)
            all = least[v] < all ? least[v] : all;
        energy[s] = all;
    }
}
