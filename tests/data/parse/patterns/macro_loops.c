#define FOR(v, n) for (int v = 0; v < (n); v++)
#define A(i, j) a[(i) * ld + (j)]
#define LAST (n - 1)
void f(int n, int ld, double *a)
{
    FOR(i, n)
    {
        FOR(j, LAST)
            A(i, j) = A(i, j + 1);
    }
}
