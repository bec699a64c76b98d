#define SCALED(x) ((x) * 0.25)
static inline double header_at(const double *x, int i)
{
    return x[i];
}
