#define N 100
#define M (N + 1)
#define IDX(i, j) ((i) * M + (j))
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define SQUARE(x) ((x) * (x))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define PASTE(a, b) a##b
#define HALF 0.5f
#define SWAP(a, b) do { double swap_ = a; a = b; b = swap_; } while (0)
typedef double real;
void macros(int n, real A[N][M], real *B)
{
    FOR (i, N)
        FOR (j, MIN(n, M)) {
            A[i][j] = HALF * B[IDX(i, j)] + PASTE(1, 2) + PASTE(2., 5) + SQUARE(n + 1);
            SWAP(B[i], B[j]);
        }
}
