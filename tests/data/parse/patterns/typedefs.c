typedef double real;
typedef real vec[4];
typedef unsigned long index_t;
void f(index_t n, vec *v, const real *w)
{
    for (index_t i = 0; i < n; ++i)
        for (int k = 0; k < 4; ++k)
            v[i][k] += (real)k * w[i];
}
