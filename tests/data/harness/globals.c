enum { SIZE = 400 };
double table[SIZE];
static double result[SIZE];
static const double weight[4] = {1, 2, 3, 4};
int shift;
#pragma inflight kernel
#pragma inflight set shift = 3
#pragma inflight set n = 400
void smooth(int n)
{
    for (int i = 0; i < n; i++)
        result[i] = weight[i % 4] * table[i] + shift;
}
