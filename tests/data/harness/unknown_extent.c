#pragma inflight set n = 100
double chase(int n, const double *a)
{
    double x = 0;
    for (int i = 0; i < n; i++)
        x = x + a[(int)x];
    return x;
}
