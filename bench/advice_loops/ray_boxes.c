/* After books on ray tracing: the test of a ray against boxes by pairs of planes, which
 * ends as soon as one pair excludes a hit. Known remedy: smallest and largest of all
 * three pairs without a jump: vectors. */
#pragma inflight kernel
#pragma inflight set n = 2000000
#pragma inflight buffer low = uniform(-5, 5)
#pragma inflight buffer high = uniform(-5, 5)
#pragma inflight buffer inverse = uniform(1, 3)
#pragma inflight buffer origin = uniform(-6, -5)
void ray_boxes(int n, int hit[restrict n], const float low[restrict 3][n],
               const float high[restrict 3][n], const float origin[restrict 3],
               const float inverse[restrict 3])
{
    for (int i = 0; i < n; i++) {
        float near = 0, far = 1e30f;
        int met = 1;
        for (int k = 0; k < 3 && met; k++) {
            float enter = (low[k][i] - origin[k]) * inverse[k];
            float leave = (high[k][i] - origin[k]) * inverse[k];
            if (enter > leave) {
                float swap = enter;
                enter = leave;
                leave = swap;
            }
            if (enter > near)
                near = enter;
            if (leave < far)
                far = leave;
            met = near <= far;
        }
        hit[i] = met;
    }
}

void hand(int n, int hit[restrict n], const float low[restrict 3][n],
          const float high[restrict 3][n], const float origin[restrict 3],
          const float inverse[restrict 3])
{
    for (int i = 0; i < n; i++) {
        float near = 0, far = 1e30f;
        for (int k = 0; k < 3; k++) {
            float p = (low[k][i] - origin[k]) * inverse[k];
            float q = (high[k][i] - origin[k]) * inverse[k];
            float enter = p < q ? p : q, leave = p < q ? q : p;
            near = enter > near ? enter : near;
            far = leave < far ? leave : far;
        }
        hit[i] = near <= far;
    }
}
