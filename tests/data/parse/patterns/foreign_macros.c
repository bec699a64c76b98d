#define BEGIN {
#define END }
#define LOOP(v, lo, hi) for (v = (lo); v < (hi); ++v)
#define STENCIL(a, i, j) (a##_[(i)][(j) - 1] + a##_[(i)][(j) + 1])
#define ACCUMULATE(dst, src) do { (dst) += (src); } while (0)
typedef int INTEGER;
void f(INTEGER N, double u_[N][N], double v_[N][N])
BEGIN
    INTEGER I, J;
    LOOP(I, 1, N - 1) BEGIN
        LOOP(J, 1, N - 1)
            ACCUMULATE(v_[I][J], STENCIL(u, I, J));
    END
END
