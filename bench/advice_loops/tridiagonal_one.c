/* After the algorithm of Thomas in every book on numerical methods: one system with three
 * diagonals. Nothing to gain in the order of the source: each division waits for the one
 * before, and so does each step back. */
#pragma inflight kernel
#pragma inflight set n = 4000000
#pragma inflight buffer below = uniform(0.5, 1)
#pragma inflight buffer diagonal = uniform(3, 4)
#pragma inflight buffer above = uniform(0.5, 1)
void tridiagonal_one(int n, double x[restrict n], double ratio[restrict n],
                     const double below[restrict n], const double diagonal[restrict n],
                     const double above[restrict n], const double right[restrict n])
{
    double last = 0, value = 0;
    for (int i = 0; i < n; i++) {
        double pivot = diagonal[i] - below[i] * last;
        last = above[i] / pivot;
        value = (right[i] - below[i] * value) / pivot;
        ratio[i] = last;
        x[i] = value;
    }
    value = 0;
    for (int i = n - 1; i >= 0; i--) {
        value = x[i] - ratio[i] * value;
        x[i] = value;
    }
}
