/* After the product of a matrix and a vector in programs that run language models in
 * plain C: one dot product for each row. Known remedy: vectors of sums, several of
 * them. */
#pragma inflight kernel
#pragma inflight set d = 6000
#pragma inflight set n = 3000
void dot_products(int d, int n, float *restrict out, const float *restrict w,
                  const float *restrict x)
{
    for (int i = 0; i < d; i++) {
        float val = 0;
        for (int j = 0; j < n; j++)
            val += w[i * n + j] * x[j];
        out[i] = val;
    }
}

enum { SIDE = 64 };

void hand(int d, int n, float *restrict out, const float *restrict w,
          const float *restrict x)
{
    for (int i = 0; i < d; i++) {
        float part[SIDE] = {0}, val = 0;
        const float *row = w + (long)i * n;
        int j = 0;
        for (; j + SIDE <= n; j += SIDE)
            for (int v = 0; v < SIDE; v++)
                part[v] += row[j + v] * x[j + v];
        for (; j < n; j++)
            val += row[j] * x[j];
        for (int v = 0; v < SIDE; v++)
            val += part[v];
        out[i] = val;
    }
}
