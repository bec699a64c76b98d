/* After papers on the fastest product of matrices: panels in order, a block of results
 * in registers. Nothing to gain: blocked for registers and caches, in vectors: close to
 * the peak. */
typedef float lanes __attribute__((vector_size(64), aligned(4)));

enum { UP = 12, ACROSS = 32 };

/* A panel of a: for each k its 12 rows; of b: for each k its 32 columns. */
#pragma inflight kernel
#pragma inflight set panels = 40
#pragma inflight set strips = 16
#pragma inflight set depth = 480
void product_in_blocks(int panels, int strips, int depth,
                       float c[restrict panels][strips][UP * ACROSS],
                       const float a[restrict panels][depth * UP],
                       const float b[restrict strips][depth * ACROSS])
{
    for (int s = 0; s < strips; s++)
        for (int p = 0; p < panels; p++) {
            lanes sum[UP][2] = {0};
            for (int k = 0; k < depth; k++) {
                lanes left = *(const lanes *)&b[s][k * ACROSS];
                lanes right = *(const lanes *)&b[s][k * ACROSS + 16];
                for (int i = 0; i < UP; i++) {
                    sum[i][0] += a[p][k * UP + i] * left;
                    sum[i][1] += a[p][k * UP + i] * right;
                }
            }
            for (int i = 0; i < UP; i++) {
                *(lanes *)&c[p][s][i * ACROSS] = sum[i][0];
                *(lanes *)&c[p][s][i * ACROSS + 16] = sum[i][1];
            }
        }
}
